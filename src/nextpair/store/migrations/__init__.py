"""Schema migrations, run by nextpair.store.database."""
