"""Folders that go with the process."""

from __future__ import annotations

import atexit
import os
import shutil
import signal
import tempfile
from contextlib import suppress

_temporary: list[str] = []


def temporary_folder(prefix: str) -> str:
    """A new folder that goes with the process, also where a signal ends it; only `kill -9` leaves it."""
    owner = os.getpid()

    def clean_up() -> None:
        if os.getpid() == owner:  # and not a child that has all this from it
            for folder in _temporary:
                gone = f"{folder}-gone"  # under another name, nothing that still writes can fill what is emptied
                with suppress(OSError):
                    os.rename(folder, gone)
                    shutil.rmtree(gone, ignore_errors=True)

    def leave(number: int, _: object) -> None:
        clean_up()
        signal.signal(number, signal.SIG_DFL)
        signal.raise_signal(number)

    if not _temporary:
        atexit.register(clean_up)
        closed = getattr(signal, "SIGHUP", signal.SIGTERM)  # not every system tells that a terminal was closed
        for number in (signal.SIGTERM, closed):
            if signal.getsignal(number) is signal.SIG_DFL:
                with suppress(ValueError):  # only the main thread of a program says what a signal does
                    signal.signal(number, leave)
    _temporary.append(tempfile.mkdtemp(prefix=prefix))
    return _temporary[-1]
