"""Pure numbers on dense integers: beliefs, scores, policies. No files, no clock, no global randomness."""

from nextpair.compiled import keep_compiled

keep_compiled()  # nothing else here touches a file: numba gives up where it finds no place for what it compiles
