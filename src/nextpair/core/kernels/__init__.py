"""Compiled inner loops. Everything here needs numba: import a room of it only where it is used."""

import numba

# The loops of eight that everything here consists of are unrolled before numba's loop vectoriser sees them; this
# pass of LLVM, off by default, finds them. It makes the scores two to three times faster and changes no result.
setattr(numba.config, "SLP_VECTORIZE", 1)  # noqa: B010 (its types do not know the name)
