// Who comes back to this page may be shown how it was when they left: what it tells is asked for anew.
addEventListener("pageshow", ({ persisted }) => { if (persisted) location.reload(); });
