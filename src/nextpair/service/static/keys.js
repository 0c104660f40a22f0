// The keys that answer. They can be switched off: software for dictation types single letters (WCAG 2.1.4).
const KEYS = { ArrowLeft: "left", ArrowRight: "right", " ": "skip", t: "tie", u: "undo" };
const FAR = { ArrowLeft: "much-left", ArrowRight: "much-right" }; // with Shift, where it is asked by how much
const STORED = "nextpair-keys";
const box = document.getElementById("keys");

function follow() { document.body.classList.toggle("without-keys", !box.checked); }
try { box.checked = localStorage.getItem(STORED) !== "off"; } catch { /* private window: for as long as it is open */ }
box.addEventListener("change", () => {
  follow();
  try { localStorage.setItem(STORED, box.checked ? "on" : "off"); } catch { /* the same */ }
});
follow();

// The letter of a key, on a keyboard without Latin letters the one that the key has elsewhere: T is T in Kyiv and Cairo, too.
function letterOf({ key = "", code = "" }) { // filling in a form by itself presses no key
  if (key.length !== 1) return key;
  return (key > "~" ? code.replace(/^Key/, "") : key).toLowerCase();
}

// What a key stands for; nothing if it means something else where the focus is, or with others held down.
export function choiceOf(event) {
  const { target } = event;
  const key = letterOf(event);
  const isFar = event.shiftKey && key in FAR && document.querySelector(`[data-choice="${FAR[key]}"]`);
  const choice = isFar ? FAR[key] : KEYS[key];
  if (!choice || !box.checked || event.repeat || event.ctrlKey || event.metaKey || event.altKey) return null;
  if (event.shiftKey && !isFar && !/^[tu]$/.test(key)) return null; // selects text, or scrolls back
  if (target.closest("input, textarea, select")) return null;
  if (key === " " && target.closest("button, a, .item")) return null; // it presses what has the focus, or scrolls it
  if (target.matches(".sideways") && key.startsWith("Arrow")) return null; // and so do the arrows
  return choice;
}
