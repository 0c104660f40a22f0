"""What a small install lacks, and what figures are written to: asked for before a long run, not missed at its end."""

from __future__ import annotations

import io
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from nextpair.errors import InvalidSetting
from nextpair.store.streams import write_atomically

if TYPE_CHECKING:
    from matplotlib.figure import Figure

KINDS = (".png", ".svg", ".pdf")  # of figures, by the ending of the file


def installed(package: str) -> bool:
    """Whether a package is there, which is not imported for that."""
    return find_spec(package) is not None


def require(package: str, purpose: str) -> None:
    """Refuse, with the command that helps, if a package is not installed."""
    if not installed(package):
        raise InvalidSetting(f"{purpose} needs {package}: pip install 'nextpair[lab]'")


def require_figure(path: Path | None) -> None:
    """Refuse a figure that could not be drawn."""
    if path is None:
        return
    if path.suffix.lower() not in KINDS:
        raise InvalidSetting(f"cannot draw {path}: a figure is a .png, .svg or .pdf file, by its ending")
    require("matplotlib", f"drawing {path}")
    if not path.parent.is_dir():
        raise InvalidSetting(f"cannot draw {path}: there is no folder {path.parent}")
    if path.is_dir():
        raise InvalidSetting(f"cannot draw {path}: it is a folder")


def save_drawn(figure: Figure, path: Path) -> None:
    """Write a figure that `require_figure` allowed, all or nothing; the same figure gives the same bytes."""
    import matplotlib

    paper, kind = io.BytesIO(), path.suffix.lower().removeprefix(".")
    dated = {"svg": "Date", "pdf": "CreationDate"}.get(kind)
    with matplotlib.rc_context({"svg.hashsalt": "nextpair"}):
        figure.savefig(paper, format=kind, metadata=None if dated is None else {dated: None})
    write_atomically(path, paper.getvalue())
