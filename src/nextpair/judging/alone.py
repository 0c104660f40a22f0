"""One run for a judge at a time: a second one would begin with what the first is judging, and pay for it again."""

from __future__ import annotations

import os
from contextlib import ExitStack, suppress
from hashlib import sha256
from pathlib import Path
from tempfile import gettempdir
from typing import IO

from nextpair.errors import CampaignError


def hold(held: ExitStack, key: str, who: str) -> None:
    """Hold what `key` names until `held` is closed; CampaignError if another run holds it, be it on this machine."""
    path = Path(gettempdir()) / f"nextpair-judge-{sha256(key.encode(errors='surrogateescape')).hexdigest()[:24]}"
    while True:
        try:
            file = held.enter_context(path.open("ab"))
        except OSError:  # another user's, or there is no room: then nobody knows
            return
        if not _lock(file):
            raise CampaignError(
                f"{who} answers there in another run already, and what is open would be judged, and paid, twice: "
                "wait for that run, or end it. To have more judged at once, raise at_once (--at-once)"
            )
        with suppress(FileNotFoundError):  # the run before took it away
            if os.path.samestat(os.fstat(file.fileno()), os.stat(path)):
                held.callback(path.unlink, missing_ok=True)
                return


def _lock(file: IO[bytes]) -> bool:
    """Whether it was free. It is free again when its process ends, however it does. (Windows has no such locks.)"""
    with suppress(ModuleNotFoundError):
        import fcntl

        os.register_at_fork(after_in_child=file.close)  # a pool of processes may outlive this one
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True
