"""Ask and tell: items, workers, budget and policy, with the journal of all that happened. Names are strings here."""
