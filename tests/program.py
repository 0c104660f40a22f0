"""`nextpair` as the shell runs it: in this process, for another Python imports numba first, or in one of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import chdir
from pathlib import Path
from unittest.mock import patch

from click.testing import CliRunner

from nextpair.cli.main import main

Done = subprocess.CompletedProcess[str]


def in_this_process(*words: str | bytes, cwd: Path | str = ".", program: Callable[[], object] = main) -> Done:
    """All of the program but its process; whatever it does not turn into a message is raised here."""
    line = ["nextpair", *map(os.fsdecode, words)]
    code = None
    with CliRunner().isolation() as streams, chdir(cwd), patch.object(sys, "argv", line):
        try:
            program()
        except SystemExit as end:
            code = end.code
        sys.stdout.flush()
        sys.stderr.flush()
        out, error = (stream.getvalue().decode() for stream in streams[:2])
    return Done(line, int(code or 0), out, error)


def in_its_own_process(*words: str | bytes, cwd: Path | str = ".") -> Done:
    line = [sys.executable, "-m", "nextpair.cli.main", *words]
    return subprocess.run(line, cwd=cwd, capture_output=True, text=True, timeout=300, check=False)
