"""What the first use of an installation compiles: it is waited for, so nothing is compiled twice."""

import os
import subprocess
import sys

import pytest

COMPILED = """
import numpy as np
from nextpair.core.full_posterior import FullPosterior
from nextpair.core.kernels import inverse, joint
FullPosterior.prior(3, 1).update(0, 1, 0)
print([len(of.signatures) for of in (joint.add_up, joint._invert_sum, joint._mean_of, inverse.invert)])
"""


@pytest.mark.slow
def test_the_posterior_is_added_up_by_code_that_is_compiled_once(tmp_path):
    here = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", COMPILED], env=here, capture_output=True, text=True, check=True)
    assert done.stdout == "[1, 1, 1, 1]\n"
