import { call } from "./api.js";

// Answers that were not acknowledged yet survive a reload, a crash and a tunnel. Each question has a key of its own, so
// that two windows do not write over each other; should both send it, it is still one answer. To undo one is sent like an
// answer, and before all others: only the last answer can be undone. The key holds the undo and the new answer after it, and
// the undo the answer that it means: by the time it arrives, another window may have sent it, and given a new answer.
const written = ({ choice, means }) => (means ? [choice, means.choice, means.undone].join(":") : choice);
function read(text) {
  const [choice, was, undone] = text.split(":");
  return was ? { choice, means: { choice: was, undone: Number(undone) } } : { choice };
}

export function deliver({ id, choice, means }) {
  return choice === "undo" ? call("POST", `/questions/${id}/undo`, means) : call("POST", `/questions/${id}/answer`, { choice });
}

export class Outbox {
  constructor(prefix) {
    this.prefix = prefix; // others may use this computer too
    this.waiting = this.load();
  }

  load() {
    try {
      const keys = Object.keys(localStorage).filter((key) => key.startsWith(this.prefix));
      const found = keys.flatMap((key) => localStorage.getItem(key).split(" ")
        .map((text) => ({ id: key.slice(this.prefix.length), ...read(text), unsure: true, kept: true })));
      const undone = new Set(found.filter(({ choice }) => choice === "undo").map(({ id }) => id));
      return [...found.filter(({ id }) => undone.has(id)), ...found.filter(({ id }) => !undone.has(id))];
    } catch { return []; }
  }

  // what is sent next; undefined when all has arrived
  get next() { return this.waiting[0]; }
  of(id) { return this.waiting.filter((one) => one.id === id); }
  choices(id) { return this.of(id).map(written).join(" "); }

  stored(id) {
    try { return localStorage.getItem(this.prefix + id) ?? ""; } catch { return ""; }
  }

  keep(id) {
    const choices = this.choices(id);
    let kept = true;
    try {
      if (choices) localStorage.setItem(this.prefix + id, choices); else localStorage.removeItem(this.prefix + id);
    } catch { kept = false; /* private window: memory only */ }
    for (const one of this.of(id)) one.kept = kept;
  }

  // What another window has sent, or taken back, since it was written down here is no longer ours to send.
  isOurs({ id, kept, owed }) { return !kept || owed || this.stored(id) === this.choices(id); }

  put(given) {
    this.waiting.push(given);
    this.keep(given.id);
  }

  drop(given) {
    const isTheirs = this.stored(given.id) !== this.choices(given.id);
    this.waiting = this.waiting.filter((other) => other !== given);
    if (!isTheirs) this.keep(given.id);
  }

  // An answer that was not sent is taken out and that is all. One that is on its way may arrive or not, so it is undone there.
  withdraw({ id, choice, undone }) {
    const given = this.of(id).find((one) => one.choice !== "undo");
    const undo = { choice: "undo", means: { choice, undone } };
    if (!given) this.put({ id, ...undo });
    else if (given !== this.next) this.drop(given);
    else { Object.assign(given, { ...undo, unsure: true }); this.keep(id); }
  }

  // The old answer is gone: the new one is sent whatever other windows do.
  owe(id) {
    for (const one of this.of(id)) one.owed = true;
  }
}
