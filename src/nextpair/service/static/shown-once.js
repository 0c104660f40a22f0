// On pages that show what is made once: a reload asks for the page, and does not send the form again. Loaded before what it
// is about, and not as a module, so that nobody sees that before it has run.
history.replaceState(null, "", location.href);
