"""All the checks, in the order of how fast they fail: style, types, layers, the core's tests and all others.

Watching every line that runs makes Python half as fast, so only the core's own tests are watched: they cover all of it.
"""

import subprocess
import sys
from pathlib import Path

BIN = Path(sys.executable).parent
PYTEST = [sys.executable, "-m", "pytest", "-n", "2", "-m", "not slow"]
CHECKS = [
    [BIN / "ruff", "check", "."],
    [BIN / "mypy"],
    [BIN / "lint-imports"],
    [*PYTEST, "tests/core", "--cov", "--cov-report=term-missing:skip-covered", "--cov-fail-under=100"],
    [*PYTEST, "--ignore=tests/core"],
]


def main() -> int:
    for command in CHECKS:
        words = [str(word) for word in command]
        print("→", " ".join(Path(word).name if "/" in word else word for word in words), flush=True)
        code = subprocess.run(words, cwd=Path(__file__).parent).returncode
        if code:
            return code
    return 0


if __name__ == "__main__":
    sys.exit(main())
