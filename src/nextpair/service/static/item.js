// An item as a worker sees it: a text, Markdown or a picture.
import { make } from "./api.js";
import { phrase } from "./language.js";

// Nobody should choose among pictures that they do not see: one that did not come is told, and asked for again while it is shown.
const AGAIN_MS = 5000;
function picture(address, words) {
  const note = make("p", { class: "problem notice", role: "status", dir: "auto", hidden: true }, phrase("item.not_loaded"));
  const image = make("img", { src: address, alt: words, onload: () => { note.hidden = true; }, onerror: () => {
    note.hidden = false;
    setTimeout(() => { if (image.isConnected) image.src = address; }, AGAIN_MS);
  } });
  return [image, note];
}

export function fill(box, item, side) {
  box.replaceChildren();
  box.className = "item";
  const alone = phrase(`item.${side}_picture`);
  if (item.image) box.classList.add("picture");
  if (item.html !== undefined) {
    box.classList.add("rich");
    box.innerHTML = item.html; // sanitised by the server
    box.dir = "auto";
    for (const wide of box.querySelectorAll("pre, table")) {
      const frame = make("div", { class: "sideways" });
      wide.replaceWith(frame);
      frame.append(wide);
    }
    for (const link of box.querySelectorAll("a")) { link.target = "_blank"; link.rel = "noreferrer noopener"; }
    if (item.image) box.prepend(...picture(item.image, alone)); // the words below say what it shows
  } else if (item.image) box.append(...picture(item.image, item.text || alone));
  else {
    box.append(make("p", { class: "plain", dir: "auto" }, item.text));
    box.classList.toggle("long", item.text.length > 280);
  }
  const scrolls = box.matches(".rich, .long");
  for (const [name, value] of [["tabindex", "0"], ["role", "group"], ["aria-label", phrase(`item.${side}`)]]) {
    if (scrolls) box.setAttribute(name, value); else box.removeAttribute(name);
  }
}

// A late item's picture may come from a host that this page was not made for: it must be loaded again to show it.
function origin(address) {
  try { return new URL(address, location.href).origin; } catch { return ""; } // no browser takes it for an address
}
const hosts = new Set(`${location.href} ${document.getElementById("work").dataset.images}`.trim().split(" ").map(origin));
export function isStrange({ image }) { return Boolean(image) && !hosts.has(origin(image)); }
