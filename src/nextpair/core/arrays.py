"""Names for the arrays that pass between the rooms of the core."""

from collections.abc import Collection
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nextpair.errors import InvalidSetting

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]


def frozen(values: Any) -> FloatArray:
    """A read-only float64 copy of `values`."""
    try:
        array = np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidSetting(f"numbers are needed, one for each item or worker, not {values!r}") from None
    array.flags.writeable = False
    return array


def among(n_items: int, without: Collection[int]) -> IntArray | slice:
    """The items that are not left out, to index with."""
    return np.delete(np.arange(n_items), list(without)) if without else slice(None)


def as_codes(what: str, values: object, size: int | None = None) -> IntArray:
    """`values` as one int64 per comparison; of so many a scalar is repeated. What is no whole number would be cut."""
    try:
        array = np.asarray(values)
    except ValueError:  # lists of several lengths
        raise InvalidSetting(f"{what} are numbers, one for each comparison, not {values!r}") from None
    if array.dtype.kind not in "iub" and array.size:
        raise InvalidSetting(f"{what} are whole numbers, not {values!r}")
    if array.ndim == 0 and size is not None:
        return np.full(size, array, dtype=np.int64)
    if array.ndim != 1 or size not in (None, array.size):
        raise InvalidSetting(f"{what} must be one number a comparison, not of shape {array.shape}")
    return array.astype(np.int64)
