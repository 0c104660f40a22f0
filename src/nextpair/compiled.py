"""Where compiled code is kept."""

from __future__ import annotations

import os
import sys
import tempfile
import warnings
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path


def _warn(words: str) -> None:
    warnings.warn(words, RuntimeWarning, stacklevel=2)


def keep_compiled(tell: Callable[[str], None] = _warn) -> None:
    """Give compiled code a folder where numba finds none and would give up: beside the package, or in a home.

    Services often have neither: the installation is read-only, and their user is without a home.
    """
    core = Path(__file__).parent / "core"
    beside = core / "__pycache__"
    places = [beside if beside.exists() else core, Path(os.path.expanduser("~"))]
    if wanted := os.environ.get("NUMBA_CACHE_DIR"):
        with suppress(OSError):
            os.makedirs(wanted, exist_ok=True)  # as numba does
        places.append(Path(wanted))
    if any(map(_is_writable, places)):
        return
    from nextpair.temporary import temporary_folder

    os.environ["NUMBA_CACHE_DIR"] = folder = temporary_folder("nextpair-")
    if "numba" in sys.modules:  # somebody else was first, and it has read that already
        sys.modules["numba"].config.CACHE_DIR = folder
    where = f"NUMBA_CACHE_DIR ({wanted}) cannot be written to" if wanted else "there is no folder to keep it in"
    tell(
        f"compiled code is lost at the end, as {where}, so every start takes ten seconds or more: "
        "name a folder that can be written to in NUMBA_CACHE_DIR"
    )


def _is_writable(folder: Path) -> bool:
    try:
        tempfile.TemporaryFile(dir=folder).close()
    except OSError:
        return False
    return True
