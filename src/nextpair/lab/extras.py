"""Packages that only the lab needs: asked for before a long run, not missed at its end."""

from importlib.util import find_spec

from nextpair.errors import InvalidSetting


def require(package: str, purpose: str) -> None:
    """Refuse, with the command that helps, if a package is not installed."""
    if find_spec(package) is None:
        raise InvalidSetting(f"{purpose} needs {package}: pip install 'nextpair[lab]'")
