"""Programs as judges: what they read, what counts as an answer, and how each way to fail is told."""

import json
import math
import shlex
import sys
import tracemalloc

import pytest

from nextpair.campaign.questions import Question
from nextpair.errors import InvalidSetting, JudgeFailed
from nextpair.judging.programs import Program

QUESTION = Question("q1", "ann", "tea; rm -rf *", 'co"ffee\n$(true) é', 0.5)


def python(code, timeout=60.0):
    return Program(f"{shlex.quote(sys.executable)} -c {shlex.quote(code)}", timeout)


def test_a_program_reads_the_question_and_its_last_line_is_the_answer(tmp_path):
    seen = tmp_path / "seen"
    code = f"import sys; open({str(seen)!r}, 'wb').write(sys.stdin.buffer.read()); print('thinking'); print(' Left ')"
    assert python(code)(QUESTION) == "left"
    told = {"id": "q1", "worker": "ann", "left": QUESTION.left, "right": QUESTION.right}
    assert json.loads(seen.read_text("utf-8")) == told
    assert seen.read_text().count("\n") == 1


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("print('left'); raise SystemExit('the key is wrong')", "exit code 1: the key is wrong"),
        ("pass", "it printed no answer"),
        ("import sys; print('nothing came', file=sys.stderr)", "it printed no answer: nothing came"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "it was ended by the signal SIGKILL"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", "it was ended by the signal SIGSEGV"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGRTMIN + 1)", "it was ended by the signal 35"),
    ],
)
def test_a_program_that_fails_says_why(code, why):
    with pytest.raises(JudgeFailed, match=why):
        python(code)(QUESTION)


def test_a_program_need_not_read_and_may_print_any_bytes():
    assert python("import sys; sys.stdout.buffer.write(b'\\xff\\xfe\\nright')")(QUESTION) == "right"


def test_who_takes_too_long_is_ended_with_all_that_it_started(tmp_path):
    """The program starts another that would write after three seconds, and waits for it."""
    late = tmp_path / "late"
    inner = f"import time; time.sleep(3); open({str(late)!r}, 'w')"
    code = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {inner!r}])"
    with pytest.raises(JudgeFailed, match="did not answer within 0.5 seconds"):
        python(code, timeout=0.5)(QUESTION)
    python("import time; time.sleep(3.5); print('left')")(QUESTION)
    assert not late.exists()


def test_what_a_program_leaves_running_is_not_waited_for():
    """As a server of a model that the first question starts: it keeps the output open."""
    code = "import subprocess; subprocess.Popen(['sleep', '30'], start_new_session=True); print('left')"
    assert python(code, timeout=10)(QUESTION) == "left"


def test_of_what_a_program_prints_only_the_end_is_kept():
    tracemalloc.start()
    try:
        code = "import sys; [print('x' * 100_000, file=f) for n in range(300) for f in (sys.stdout, sys.stderr)]"
        assert python(f"{code}; print('left')")(QUESTION) == "left"
        assert tracemalloc.get_traced_memory()[1] < 5e6
    finally:
        tracemalloc.stop()


def test_a_question_of_megabytes_need_not_be_read():
    long = Question("q1", "ann", "x" * 2_000_000, "y", 0.5)
    assert python("print('left')")(long) == "left"
    assert (
        python("import json, sys; print('left' if len(json.load(sys.stdin)['left']) == 2e6 else 'right')")(long)
        == "left"
    )


@pytest.mark.parametrize("timeout", [math.inf, 1e10])
def test_an_answer_may_take_as_long_as_it_wants(timeout):
    assert python("print('left')", timeout)(QUESTION) == "left"


@pytest.mark.parametrize("timeout", [math.nan, 0.0, -1.0])
def test_who_hangs_is_not_waited_for_for_ever(timeout):
    with pytest.raises(InvalidSetting, match=f"a positive number, not {timeout}"):
        python("print('left')", timeout)


def test_who_is_started_while_all_are_ended_is_ended_too():
    program = python("import time; time.sleep(60)")
    program.stop()
    with pytest.raises(JudgeFailed, match="SIGKILL"):
        program(QUESTION)


def test_a_script_that_cannot_be_run_is_told_from_one_that_is_not_there(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "judge.py").write_text("print('left')")
    with pytest.raises(InvalidSetting, match="is a file that cannot be run.*python3 judge.py"):
        Program("judge.py", 1)


@pytest.mark.parametrize(("command", "named"), [("", "''"), ("no-such-program x", "'no-such-program'"), ("'a", "'a")])
def test_a_command_that_is_none_is_refused_before_anything_is_asked(command, named):
    with pytest.raises(InvalidSetting, match=named):
        Program(command, 1)
