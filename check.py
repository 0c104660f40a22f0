"""All the checks, in the order of how fast they fail: style, types, layers, tests with the core's coverage."""

import subprocess
import sys
from pathlib import Path

BIN = Path(sys.executable).parent
CHECKS = [
    [BIN / "ruff", "check", "."],
    [BIN / "mypy"],
    [BIN / "lint-imports"],
    [sys.executable, "-m", "pytest", "-n", "2", "-m", "not slow", "--cov", "--cov-report=term-missing:skip-covered",
     "--cov-fail-under=100"],
]  # fmt: skip


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
