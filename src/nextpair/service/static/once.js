// The second half of a double click sends no form again: links are shown once, and nobody wants a campaign twice.
const AGAIN_MS = 10_000; // after this time a form may be sent again, should the first try have been stopped
const sent = new Map();
addEventListener("pagehide", () => sent.clear()); // who comes back to this page means it anew
document.addEventListener("submit", (event) => {
  const before = sent.get(event.target);
  if (event.timeStamp - before < AGAIN_MS) event.preventDefault();
  else if (event.target.method === "post") sent.set(event.target, event.timeStamp);
});
