"""nextpair ranks items from noisy pairwise answers for the least money."""

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"
__all__ = ["Belief", "Campaign", "akg_scores"]

if TYPE_CHECKING:
    from nextpair.campaign.campaign import Campaign
    from nextpair.core.akg import akg_scores
    from nextpair.core.belief import Belief

_HOMES = {"Belief": "core.belief", "Campaign": "campaign.campaign", "akg_scores": "core.akg"}


def __getattr__(name: str) -> Any:
    # numpy, scipy and numba take seconds to import: only whoever uses a name pays for it
    if name not in _HOMES:
        raise AttributeError(f"module 'nextpair' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"nextpair.{_HOMES[name]}"), name)
