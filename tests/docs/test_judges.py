"""The judge of docs/judges.md: it runs as it stands, and takes for an answer what is one and nothing else."""

import json
import os
import re
import runpy
import shlex
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from test_docs import blocks, commands

from nextpair.campaign.campaign import Campaign
from program import in_this_process

PAGE = Path(__file__).parents[2] / "docs" / "judges.md"
MODELS = {  # what they write on three prompts; the judge prefers the longer text
    "A": {"tea": "aaaaaa", "milk": "aaaaaa", "rain": "a"},
    "B": {"tea": "aaaa", "milk": "aaaa", "rain": "aa"},
    "C": {"tea": "aa", "milk": "aa", "rain": "aaaa"},
}
DRAFTS = [f"{'very ' * n}good" for n in range(6)]


class Endpoint(ThreadingHTTPServer):
    """A model that prefers the longer text; `replies` come first, and are (status, what the model says)."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Answering)
        self.replies, self.asked = [], []


class Answering(BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append((self.path, self.headers["Authorization"], body))
        left, right = re.findall(r"(?<=:\n<text>\n)(.*?)(?=\n</text>)", body["messages"][0]["content"], flags=re.S)
        longer = "Left." if len(left) > len(right) else " right\n"
        status, says = self.server.replies.pop(0) if self.server.replies else (200, longer)
        reply = json.dumps({"choices": [{"message": {"role": "assistant", "content": says}}]}).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(reply) + (says == "cut")))
        if status == 429:
            self.send_header("Retry-After", "1")
        self.end_headers()
        self.wfile.write(reply)

    def log_message(self, *words):
        pass


@pytest.fixture
def endpoint(tmp_path, monkeypatch):
    program, on_prompts, boards = blocks(PAGE, "python")
    (tmp_path / "ask_model.py").write_text(program)
    (tmp_path / "drafts.txt").write_text("\n".join(DRAFTS))
    before, own, rest = re.split(r"^(def main.*?)(?=^if )", program, flags=re.M | re.S)
    assert "main()" in own
    (tmp_path / "ask_on_prompts.py").write_text(f"{before}{on_prompts}\n\n{rest}")
    (tmp_path / "boards.py").write_text(on_prompts + boards)
    (tmp_path / "models.txt").write_text("\n".join(MODELS))
    written = [{"model": model, "prompt": p, "output": out} for model in MODELS for p, out in MODELS[model].items()]
    (tmp_path / "outputs.jsonl").write_text("".join(json.dumps(one) + "\n" for one in written))
    with Endpoint() as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        monkeypatch.setenv("OPENAI_BASE_URL", f"http://127.0.0.1:{server.server_port}/v1")
        monkeypatch.setenv("OPENAI_API_KEY", "secret")
        monkeypatch.setenv("JUDGE_MODEL", "longer")
        yield server
        server.shutdown()


def test_the_page_runs_as_it_stands(endpoint, tmp_path):
    endpoint.replies = [(429, "slower"), (200, "**Left** is better"), (200, "cut")]
    for command in commands(PAGE):
        done = in_this_process(*shlex.split(command)[1:], cwd=tmp_path)
        assert done.returncode == 0, f"{command}\n{done.stderr}"
        assert "without an answer" not in done.stderr
    campaign = Campaign.load(tmp_path / "drafts.journal")
    assert len(campaign.comparisons()) == 15
    assert [row.item for row in campaign.ranking()] == DRAFTS[::-1]
    models = Campaign.load(tmp_path / "models.journal")
    assert len(models.comparisons()) == 9  # each pair three times
    assert len(endpoint.asked) == 15 + 3 + 9
    path, key, body = endpoint.asked[0]
    assert (path, key, body["model"], body["temperature"]) == ("/v1/chat/completions", "Bearer secret", "longer", 0)


def test_an_answer_is_about_one_prompt_which_is_known_afterwards(endpoint, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    campaign = Campaign(MODELS, ["model"], times=20)
    program = [sys.executable, tmp_path / "ask_on_prompts.py"]
    for _ in range(12):
        question = campaign.ask()
        told = json.dumps({"id": question.id, "left": question.left, "right": question.right})
        answers = {subprocess.run(program, input=told, capture_output=True, text=True).stdout for _ in range(2)}
        campaign.tell(question.id, answers.pop().strip())
        assert not answers  # the same prompt each time
    campaign.save("some.journal")
    page = runpy.run_path(str(tmp_path / "boards.py"))
    boards = page["boards_of"]("some.journal", MODELS["A"])
    assert set(boards) == {"tea", "milk", "rain"}
    assert sum(board.answers for board in boards.values()) == 12
    for answer in campaign.comparisons():
        prompt = page["prompt_of"](answer.question, MODELS["A"])
        assert len(MODELS[answer.winner][prompt]) > len(MODELS[answer.loser][prompt])


@pytest.mark.parametrize(
    ("status", "says", "told"),
    [
        (200, "**Left** is better", "the model says '**Left** is better'"),
        (200, "", "the model says ''"),
        (200, None, "the model says None"),
        (200, "left or right", "the model says 'left or right'"),
        (200, "cut", "IncompleteRead"),
        (401, "no such key", "the endpoint says 401: '"),
        (500, "", "the endpoint says 500: '"),
    ],
)
def test_what_is_no_answer_is_told_and_none_is_made_of_it(endpoint, tmp_path, status, says, told):
    endpoint.replies = [(status, says)]
    question = json.dumps({"id": "q1", "worker": "model", "left": "a {b}", "right": "c", "question": "Which?"})
    program = [sys.executable, tmp_path / "ask_model.py"]
    done = subprocess.run(program, input=question, capture_output=True, text=True, env=os.environ, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert told in done.stderr.splitlines()[-1]
    assert endpoint.asked[0][2]["messages"][0]["content"].startswith("Which?\n\nLeft:\n<text>\na {b}\n</text>")
