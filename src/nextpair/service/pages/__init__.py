"""The pages for organisers and workers: HTML from templates, alive through small scripts that use the API."""
