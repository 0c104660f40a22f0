"""All the checks, in the order of how fast they fail: style, types, layers, the core's tests and all others.

Watching every line that runs makes Python half as fast, so only the core's own tests are watched: they cover all of it.
"""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

HERE = Path(__file__).parent
BIN = Path(sys.executable).parent
READING = [[BIN / "ruff", "check", "."], [BIN / "mypy"], [BIN / "lint-imports"]]
PYTEST = [sys.executable, "-m", "pytest", "-n", "2", "--dist", "worksteal", "-m", "not slow"]
RUNNING = [
    [*PYTEST, "tests/core", "--cov", "--cov-report=term-missing:skip-covered", "--cov-fail-under=100"],
    [*PYTEST, "--ignore=tests/core"],
]
# what nearly every test needs is compiled while the others read, and not by each of the processes that test
COMPILING = [sys.executable, "-c", "from nextpair.service.app import _warm_up; _warm_up()"]


def run(commands: Sequence[Sequence[str | Path]]) -> int:
    for command in commands:
        words = [str(word) for word in command]
        print("→", " ".join(Path(word).name if "/" in word else word for word in words), flush=True)
        if code := subprocess.run(words, cwd=HERE).returncode:
            return code
    return 0


def main() -> int:
    with subprocess.Popen(COMPILING, cwd=HERE) as compiling:
        if code := run(READING):
            compiling.terminate()
            return code
    return run(RUNNING)


if __name__ == "__main__":
    sys.exit(main())
