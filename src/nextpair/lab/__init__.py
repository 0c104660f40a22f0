"""The lab: simulated and replayed campaigns, the paper's experiments, figures and reports."""
