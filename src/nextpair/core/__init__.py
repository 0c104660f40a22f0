"""Pure numbers on dense integers: beliefs, scores, policies. No files, no clock, no global randomness."""
