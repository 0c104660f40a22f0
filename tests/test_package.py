"""What `import nextpair` gives."""

import subprocess
import sys

import pytest

import nextpair


def run(program):
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("name", nextpair.__all__)
def test_every_name_is_there_without_another_import(name):
    """`nextpair.errors` was not, before a campaign had been made."""
    done = run(f"import nextpair\nprint(nextpair.{name})")
    assert (done.returncode, done.stderr) == (0, "")


def test_importing_it_imports_nothing_that_takes_long():
    done = run("import sys, nextpair\nprint(*sorted({'numpy', 'scipy', 'numba', 'click'} & set(sys.modules)))")
    assert (done.stdout, done.stderr) == ("\n", "")
