"""Packages that only the lab needs: asked for before a long run, not missed at its end."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from nextpair.errors import InvalidSetting


def require(package: str, purpose: str) -> None:
    """Refuse, with the command that helps, if a package is not installed."""
    if find_spec(package) is None:
        raise InvalidSetting(f"{purpose} needs {package}: pip install 'nextpair[lab]'")


def require_figure(path: Path | None) -> None:
    """Refuse a figure that could not be drawn."""
    if path is None:
        return
    require("matplotlib", f"drawing {path}")
    if not path.parent.is_dir():
        raise InvalidSetting(f"cannot draw {path}: there is no folder {path.parent}")
