"""`nextpair bench service`: load, faults and kills against real servers, and an account of what was lost (nothing)."""
