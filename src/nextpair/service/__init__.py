"""Live campaigns over HTTP: an API, pages for organisers and workers, live updates. Thin shells on the store."""
