"""Finished trials on disk, so that an interrupted run goes on where it stopped."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import asdict
from functools import cache
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryFile

import nextpair
from nextpair.errors import InvalidFile, InvalidSetting, reason
from nextpair.lab.settings import Job
from nextpair.lab.trials import Trial

ELSEWHERE = "name a folder with --out, or one for caches in XDG_CACHE_HOME"
CODE = ("core", "inference", "lab/play.py", "lab/worlds.py", "lab/recording.py", "lab/experiments.py", "lab/trials.py")


@cache
def code_fingerprint() -> str:
    """A hash of the code that trials run: changed code must not take over old trials."""
    root = Path(nextpair.__file__).parent
    digest = sha256()
    for part in CODE:
        place = root / part
        for path in [place] if place.suffix else sorted(place.rglob("*.py")):
            digest.update(path.read_bytes())
    return digest.hexdigest()


def job_key(job: Job) -> str:
    """What makes two runs share trials: all but the number of trials and the choice of lines."""
    settings = asdict(job.settings) | {"trials": None, "policies": None}
    priors = sorted({(line.prior, line.known) for line in job.lines()})
    digest = sha256(json.dumps([job.experiment, settings, priors, code_fingerprint()], sort_keys=True).encode())
    if job.recording is not None:
        for array in (job.recording.answers.columns(), job.recording.truth):
            digest.update(array.tobytes())
        digest.update(repr(sorted(job.recording.costs.items())).encode())
    if job.lookalikes is not None:
        rules = job.lookalikes.rules
        for array in (job.lookalikes.alpha, job.lookalikes.mu, job.lookalikes.nu):
            digest.update(array.tobytes())
        mappings = (rules.costs, rules.quotas, rules.times)
        digest.update(repr((*(sorted(each.items()) for each in mappings), sorted(rules.forbidden))).encode())
    return digest.hexdigest()[:16]


def cache_folder() -> Path:
    """Where runs without an output folder keep their finished trials until they are done."""
    try:
        return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "nextpair" / "lab"
    except RuntimeError:  # a user without a home
        raise InvalidSetting(f"there is no home folder to keep finished trials in: {ELSEWHERE}") from None


class Checkpoint:
    """An append-only file of finished trials, one JSON line each."""

    def __init__(self, folder: Path, job: Job) -> None:
        self.path = folder / f"{job.experiment}-{job_key(job)}.jsonl"

    def refuse_unwritable(self) -> None:
        """Say now that nothing can be kept, and not after the first trials."""
        folder = self.path.parent
        try:
            folder.mkdir(parents=True, exist_ok=True)
            TemporaryFile(dir=folder).close()
        except OSError as error:
            raise InvalidSetting(f"cannot keep finished trials in {folder}, {reason(error)}: {ELSEWHERE}") from None

    def load(self, job: Job) -> dict[tuple[str, int], Trial]:
        """The finished trials that this job asks for."""
        wanted = {line.label for line in job.lines()}
        found = {}
        if self.path.is_file():
            for text in self.path.read_text(encoding="utf-8").splitlines():
                try:
                    trial = Trial.from_record(json.loads(text))
                except (ValueError, KeyError):
                    continue  # cut off in the middle by an interruption: that trial runs again
                if trial.line in wanted and trial.number < job.settings.trials:
                    found[trial.line, trial.number] = trial
        return found

    def add(self, trials: Iterable[Trial]) -> None:
        try:
            with self.path.open("a+b") as file:
                if file.tell():
                    file.seek(-1, os.SEEK_END)
                    if file.read(1) != b"\n":
                        file.write(b"\n")  # after a torn line
                file.write("".join(json.dumps(trial.as_record()) + "\n" for trial in trials).encode())
        except OSError as error:
            raise InvalidFile(
                f"cannot keep finished trials in {self.path}: {reason(error)}. "
                "Put that right, and run the same command to go on"
            ) from None

    def remove(self) -> None:
        self.path.unlink(missing_ok=True)
