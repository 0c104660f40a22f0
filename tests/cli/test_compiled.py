"""Where compiled code is kept."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import nextpair

IMPORT = "import os; from nextpair.compiled import keep_compiled; keep_compiled(); import nextpair.core.moments"
TELL = f"{IMPORT}; print(os.environ.get('NUMBA_CACHE_DIR', ''))"


@pytest.fixture
def read_only(tmp_path):
    """A copy of the package beside which nothing can be kept, not even by root."""
    package = tmp_path / "nextpair"
    shutil.copytree(Path(nextpair.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    for folder in (package / "core", package / "core" / "kernels"):
        (folder / "__pycache__").write_text("a file where the folder would be")
    return tmp_path


def run(package, program=TELL, **environment):
    keep = {k: v for k, v in os.environ.items() if k not in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME")}
    given = keep | {"PYTHONPATH": str(package), "PYTHONDONTWRITEBYTECODE": "1"} | environment
    done = subprocess.run(
        [sys.executable, "-c", program], env=given, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip(), done.stderr


def test_a_read_only_installation_and_no_home_still_run(read_only):
    """As the unit in docs/deployment.md has it, less its folder for the cache."""
    folder, said = run(read_only, HOME="/proc/nowhere")
    assert Path(folder).name.startswith("nextpair-")
    assert not Path(folder).exists()  # it was for that process
    assert "NUMBA_CACHE_DIR" in said


@pytest.mark.parametrize("before", ["", "import numba; "])
def test_the_library_runs_there_as_well_and_warns(read_only, before):
    """As in a container, whose user has no home and may change no package; numba may be there already."""
    ask = "import os, nextpair; nextpair.Campaign(['a', 'b']).ask(); print(os.environ['NUMBA_CACHE_DIR'])"
    folder, said = run(read_only, before + ask, HOME="/proc/nowhere")
    assert Path(folder).name.startswith("nextpair-")
    assert not Path(folder).exists()
    assert "RuntimeWarning: compiled code is lost at the end" in said


def test_numba_finds_its_own_place_where_there_is_one(read_only, tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    assert run(read_only, HOME=str(home)) == ("", "")
    assert run(read_only, HOME="/proc/nowhere", NUMBA_CACHE_DIR=str(home)) == (str(home), "")


@pytest.mark.parametrize("wanted", ["/proc/nowhere", "/dev/null"])
def test_a_cache_that_cannot_be_written_is_no_traceback(read_only, wanted):
    folder, said = run(read_only, HOME="/proc/nowhere", NUMBA_CACHE_DIR=wanted)
    assert Path(folder).name.startswith("nextpair-")
    assert f"NUMBA_CACHE_DIR ({wanted}) cannot be written to" in said


def test_a_cache_that_is_not_there_yet_is_made(read_only, tmp_path):
    new = tmp_path / "new" / "cache"
    assert run(read_only, HOME="/proc/nowhere", NUMBA_CACHE_DIR=str(new)) == (str(new), "")


NEW = "import os, signal; from nextpair.temporary import temporary_folder as new"
TWO = f"{NEW}; print(new('a-'), new('b-'), flush=True)"


def test_a_temporary_folder_may_be_wanted_in_any_thread():
    """Only the main one may say what a signal does."""
    program = f"{NEW}; import threading; threading.Thread(target=lambda: print(new('a-'))).start()"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300, check=True)
    assert (done.stderr, Path(done.stdout.strip()).exists()) == ("", False)


@pytest.mark.parametrize(
    ("end", "code"),
    [("", 0), ("os.kill(os.getpid(), signal.SIGTERM)", -15), ("os.kill(os.getpid(), signal.SIGHUP)", -1)],
)
def test_temporary_folders_go_with_the_process(end, code):
    done = subprocess.run(
        [sys.executable, "-c", f"{TWO}; {end}"], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == code, done.stderr
    assert [Path(folder).exists() for folder in done.stdout.split()] == [False, False]


def test_a_child_that_is_ended_takes_no_folder_of_its_parent_away():
    """As a pool of processes ends its own."""
    child = "pid = os.fork(); pid or (os.kill(os.getpid(), signal.SIGTERM), os._exit(1)); print(os.waitpid(pid, 0)[1])"
    look = "from nextpair import temporary; print(*map(os.path.exists, temporary._temporary))"
    done = subprocess.run(
        [sys.executable, "-c", f"{TWO}; {child}; {look}"], capture_output=True, text=True, timeout=300, check=True
    )
    assert done.stdout.splitlines()[1:] == ["15", "True True"]


LATE = """
import os, sys
from contextlib import suppress
from nextpair.temporary import temporary_folder
folder = temporary_folder("a-")
open(os.path.join(folder, "demo.db"), "w").close()

def write(event, _):
    if event == "os.remove":
        with suppress(OSError):
            open(os.path.join(folder, "late"), "w").close()

sys.addaudithook(write)
print(folder, flush=True)
"""


def test_who_still_writes_does_not_keep_a_temporary_folder():
    """As a thread of the demo that opens its database once more while that is taken away."""
    done = subprocess.run([sys.executable, "-c", LATE], capture_output=True, text=True, timeout=300, check=True)
    folder = Path(done.stdout.strip())
    assert list(folder.parent.glob(f"{folder.name}*")) == []
