"""Names for the arrays that pass between the rooms of the core."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]


def frozen(values: Any) -> FloatArray:
    """A read-only float64 copy of `values`."""
    array = np.array(values, dtype=np.float64)
    array.flags.writeable = False
    return array


def as_codes(values: object, size: int) -> IntArray:
    """`values` as one int64 per comparison (a scalar is repeated)."""
    return np.broadcast_to(np.asarray(values, dtype=np.int64), (size,)).copy()
