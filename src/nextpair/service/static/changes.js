// What an organiser can change from the dashboard: a question first, then the ranking before and after.
import { call, make, signedOut } from "./api.js";
import { gainBar } from "./charts.js";
import { ItemFields, asSent } from "./item-fields.js";
import { money, percent, plural } from "./words.js";

const root = document.getElementById("dashboard");
const campaign = root.dataset.campaign;
const $ = (id) => document.getElementById(id);
const MANY = 15; // items that a ranking before and after has room for
const changed = () => root.dispatchEvent(new Event("changed")); // the page looks anew

// Signed out, here or in another window: there is no more to see on this page, unless something is written here.
export function isSignedOut({ status }) {
  if (status === 401 && !isWriting()) location.assign(`/signin?next=${encodeURIComponent(location.pathname)}`);
  return status === 401;
}

const isAsking = () => $("dialog").open && !$("dialog-ok").hidden;
const isWriting = () => isAsking() || joining.size > 0 || newItem.isWritten || unsaved !== null;

// A redraw takes no focus from a keyboard: the button that had it has it in the new rows, too.
// Should its row be gone, the heading above has it: rows are named after their lists.
const HEADINGS = { ban: "workers-title", why: "flight-title", undo: "recent-title", back: "ranking-title" };
export function refocus(had) {
  if (had.isConnected) return;
  const heading = HEADINGS[had.id.split("-")[0]];
  ($(had.id) ?? $(heading))?.focus({ preventScroll: true });
}

function openDialog(title, body, confirm) {
  $("dialog-title").textContent = title;
  $("dialog-body").replaceChildren(...body);
  $("dialog-ok").hidden = !confirm;
  $("dialog-ok").textContent = confirm ?? "";
  $("dialog-close").textContent = confirm ? "Cancel" : "Close";
  if ($("dialog").open) $("dialog").close();
  $("dialog").returnValue = "";
  const focused = document.activeElement;
  $("dialog").showModal();
  const closed = new Promise((done) => {
    $("dialog").onclose = () => { refocus(focused); done($("dialog").returnValue === "ok"); };
  });
  if (confirm) answered = closed;
  return closed;
}

// What the server said may come late: it takes no question away that the organiser is just answering.
let answered = Promise.resolve();
async function tell(title, body) {
  await answered;
  openDialog(title, body);
}

$("dialog-close").addEventListener("click", () => $("dialog").close()); // no submit button: Enter in a field is the other one

function refused(error) {
  if (isSignedOut(error)) {
    if (isWriting()) tell("That did not work", [make("p", {}, ...signedOut())]);
    return;
  }
  const lost = "The server did not answer. Check whether the change was made before you try again.";
  tell("That did not work", [make("p", {}, error.status ? error.message : lost)]);
}

// Tells what came of a request: a title and a body; whether it worked. A double click sends it once.
const sent = new Set();
async function once(what, request) {
  if (sent.has(what)) return true;
  sent.add(what);
  try {
    tell(...await request());
    return true;
  } catch (error) {
    refused(error);
    return false;
  } finally {
    sent.delete(what);
  }
}

function change(title, method, path, body) {
  return once(JSON.stringify([path, body]), async () => {
    const result = await call(method, path, body);
    changed();
    return [title, [beforeAfter(result)]];
  });
}

function beforeAfter({ before, after }) {
  const stays = new Set(after.map((row) => row.item)); // that others move up where one was removed is no news
  const was = new Map(before.filter((row) => stays.has(row.item)).map((row, index) => [row.item, index + 1]));
  const list = (rowsOf, marks) => make("ol", {}, ...rowsOf.slice(0, MANY).map((row) => {
    const step = marks ? was.get(row.item) - row.rank : 0;
    const mark = step > 0 ? `▲ ${step} ` : step < 0 ? `▼ ${-step} ` : "";
    return make("li", { class: step > 0 ? "up" : step < 0 ? "down" : null }, make("span", { class: "brief", dir: "auto" }, mark + row.label));
  }));
  const moved = after.filter((row) => was.get(row.item) !== row.rank).length;
  const words = moved ? `${plural(moved, "item")} moved.` : "The order stays as it was.";
  const part = after.length > MANY ? ` These are the first ${MANY} of ${after.length}.` : "";
  return make("div", {}, make("p", {}, words + part),
    make("div", { class: "before-after" }, make("div", {}, make("strong", {}, "Before"), list(before, false)),
      make("div", {}, make("strong", {}, "After"), list(after, true))));
}

export async function askBan(worker) {
  const words = make("p", {}, `Their ${plural(worker.answers, "answer")} will no longer count, and their links will stop working. The money stays spent.`);
  if (await openDialog(`Ban ${worker.name}?`, [words], "Ban")) {
    change(`${worker.name} is banned`, "POST", `/campaigns/${campaign}/workers/ban?id=${encodeURIComponent(worker.id)}`);
  }
}

export async function askUndo(answer) {
  const words = make("p", {}, `The answer of ${answer.worker} will be withdrawn, and the question will be open again.`);
  if (await openDialog("Undo this answer?", [words], "Undo")) change("The answer is undone", "POST", `/questions/${answer.id}/undo`, { choice: answer.choice, undone: answer.undone });
}

const points = (gain) => `${(100 * gain).toPrecision(2)} points`;
const pairOf = (labels) => make("ol", { class: "pair-names" }, ...labels.map((label) => make("li", { dir: "auto" }, make("span", { class: "brief" }, label))));

export function why(question) {
  const path = `/questions/${question.id}/why`;
  return once(path, async () => {
    const reason = await call("GET", path);
    const most = Math.max(reason.gain, reason.runner_up_gain ?? 0, 1e-12);
    const row = (what, pair, gain) => make("div", { class: "gain" }, make("p", { class: "hint" }, what), pairOf(pair),
      make("p", {}, gainBar(gain / most), ` ${points(gain)}`));
    const asked = `${question.worker || "The worker"} is expected to be right ${percent(reason.reliability, 0)} of the time, and the first item `
      + `to be the better one with ${percent(reason.prob_left, 0)} probability. The answer is expected to raise ${reason.raises} by ${points(reason.gain)}.`;
    const rows = [row("This pair, when it was asked", [reason.left, reason.right], reason.gain)];
    if (reason.runner_up) rows.push(row("The next best pair", reason.runner_up, reason.runner_up_gain));
    if (reason.note) rows.push(make("p", { class: "hint" }, reason.note));
    return ["Why this pair?", [make("p", {}, asked), ...rows]];
  });
}

$("pause").addEventListener("click", () => change("Paused", "POST", `/campaigns/${campaign}/pause`));
$("resume").addEventListener("click", () => change("Resumed", "POST", `/campaigns/${campaign}/resume`));
$("end").addEventListener("click", async () => {
  const words = make("p", {}, "No more questions will be asked, and the campaign cannot be resumed: for a break, pause it instead. Open questions can still be answered.");
  if (await openDialog("End the campaign?", [words], "End")) change("The campaign has ended", "POST", `/campaigns/${campaign}/end`);
});
// As a field of the browser has it: the day and the time where the organiser is.
function hereAndNow(seconds) {
  const date = new Date(1000 * seconds);
  return new Date(date - 60_000 * date.getTimezoneOffset()).toISOString().slice(0, 16);
}
$("end-time").addEventListener("click", async () => {
  const { endsAt } = root.dataset;
  const field = make("input", { id: "new-end-time", type: "datetime-local", value: endsAt && hereAndNow(endsAt), "aria-describedby": "new-end-hint" });
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const body = [make("label", { for: field.id }, "End time, where you are"), field,
    make("p", { class: "hint", id: "new-end-hint" }, `In the time zone ${zone}. At this time the campaign ends for good, and cannot be resumed. Empty: it has no end time.`)];
  if (!await openDialog("Change the end time", body, "Change") || field.value === field.defaultValue) return;
  change("The end time has changed", "PATCH", `/campaigns/${campaign}`, { ends_at: field.value ? Date.parse(field.value) / 1000 : null });
});
$("language").addEventListener("click", async () => {
  const field = $("languages").content.firstElementChild.cloneNode(true);
  field.value = root.dataset.language;
  const body = [make("label", { for: field.id }, "Language of the workers’ pages"), field,
    make("p", { class: "hint" }, "Buttons and messages are in this language. The question and the items stay as you wrote them.")];
  if (!await openDialog("Change the language", body, "Change") || field.value === root.dataset.language) return;
  once(`language ${field.value}`, async () => {
    await call("PATCH", `/campaigns/${campaign}`, { language: field.value });
    changed();
    return ["The language has changed", [make("p", {}, "Workers read it on every page that they open from now on.")]];
  });
});
const TERMS = { budget: "Total budget from now on", price: "Price of an answer from now on" };
$("extend").addEventListener("click", async () => {
  const fields = Object.keys(TERMS).map((name) => make("input", { id: `new-${name}`, name, inputmode: "decimal", autocomplete: "off", value: root.dataset[name] ?? "" }));
  const body = fields.flatMap((field) => [make("label", { for: field.id }, TERMS[field.name]), field]);
  const whose = whosePrice(fields[1]);
  if (whose.length > 1) body.splice(2, 0, make("label", { for: whose.id }, "Whose price"), whose);
  body.push(make("p", { class: "hint" }, "Open questions keep the price at which they were asked."));
  if (!await openDialog("Change the budget or the price", body, "Change")) return;
  const terms = {};
  for (const { name, value, defaultValue } of fields) {
    const written = value.trim();
    if (written === defaultValue) continue;
    terms[name] = Number(written.replace(",", "."));
    // 1,000 is a thousand here and one there: nobody should have to guess about money
    if (!written || Number.isNaN(terms[name]) || /^[1-9]\d{0,2}([.,' ]\d{3})+([.,]\d*)?$/.test(written)) {
      openDialog("That did not work", [make("p", {}, `“${written}” is not clear: write the ${name} like 1000 or 12.50.`)]);
      return;
    }
  }
  if ("price" in terms && whose.value) terms.worker = whose.value;
  if (Object.keys(terms).length) change("The terms have changed", "PATCH", `/campaigns/${campaign}`, terms);
});

// Everybody's price, or that of one of those who can be asked: what it is now stands in the field, until one writes there.
function whosePrice(field) {
  const all = root.dataset.price;
  const workers = [...$("workers").rows].map((row) => row.dataset).filter(({ price }) => price);
  const options = workers.map(({ worker, name, price }) => make("option", { value: worker, "data-price": price },
    price === all ? name : `${name} (${money(Number(price))})`));
  const everybody = workers.some(({ price }) => price !== all) ? "everybody's, replacing all prices of their own" : "everybody's";
  const pick = make("select", { id: "whose-price" }, make("option", { value: "", "data-price": all }, everybody), ...options);
  pick.addEventListener("change", () => {
    const { price } = pick.selectedOptions[0].dataset;
    if (field.value === field.defaultValue) field.value = price;
    field.defaultValue = price;
  });
  return pick;
}

const joining = new Set(); // items that are on their way
const newItem = new ItemFields("new-item", "One more item", root.dataset); // what was written stays until it is taken
const NOTHING = { text: "", kind: root.dataset.kind }; // as most items are: Markdown among Markdown
newItem.value = NOTHING;
$("add-item").addEventListener("click", async () => {
  const body = [...newItem.nodes, make("p", { class: "hint" }, "Nothing is known about it yet: workers are asked about it from now on.")];
  if (!await openDialog("Add an item", body, "Add")) return;
  const item = newItem.value;
  newItem.value = { ...NOTHING, kind: item.kind };
  joining.add(item);
  if (!await added(item, "The item is added", asSent) && !newItem.isWritten) newItem.value = item;
  joining.delete(item);
});

const keyOf = ({ file, ...words }) => JSON.stringify([words, file?.name, file?.size]);
export function added(item, title, prepared = (given) => given) {
  return once(keyOf(item), async () => {
    const { n_items: count } = await call("POST", `/campaigns/${campaign}/items`, await prepared(item));
    changed();
    return [title, [make("p", {}, `The campaign has ${plural(count, "item")} now.`)]];
  });
}

// What an item shows may have a typo, or the wrong picture. What was written stays until it is taken.
let unsaved = null;
$("mend-item").addEventListener("click", async () => {
  let items;
  try { items = await call("GET", `/campaigns/${campaign}/items`); } catch (error) { refused(error); return; }
  const pick = make("select", { id: "mend-which" });
  const fields = new ItemFields("mend", "What it says", root.dataset);
  pick.append(...items.map(({ id, text: words }) => make("option", { value: id }, (words.trim() || id).split("\n")[0].slice(0, 80))));
  const fill = (item) => {
    pick.value = item.id;
    fields.value = item;
  };
  pick.addEventListener("change", () => fill(items.find(({ id }) => id === pick.value)));
  fill(unsaved ?? items[0]);
  const body = [make("label", { for: pick.id }, "Item"), pick, ...fields.nodes,
    make("p", { class: "hint" }, "For a typo, or a table that has moved: its answers go on counting, and who has it on the screen may see the old words. Another thing is another item: add it.")];
  unsaved = null; // who cancels wants none of it
  if (!await openDialog("Change what an item shows", body, "Change")) return;
  const mended = { id: pick.value, ...fields.value };
  unsaved = mended;
  once(keyOf(mended), async () => {
    await call("PATCH", `/campaigns/${campaign}/items?id=${encodeURIComponent(mended.id)}`, await asSent(mended));
    if (unsaved === mended) unsaved = null;
    changed();
    return ["The item is changed", [make("p", {}, "Workers see it so from their next question on.")]];
  });
});

$("remove-item").addEventListener("click", async () => {
  const names = [...$("ranking").rows].map((row) => [row.dataset.item, row.querySelector(".what").title]);
  const pick = make("select", { id: "old-item" }, ...names.map(([value, words]) => make("option", { value }, words)));
  const body = [make("label", { for: "old-item" }, "Item to remove"), pick,
    make("p", { class: "hint" }, "It leaves the ranking, and no more questions are asked about it. Its answers still help to rank the others, open questions about it can still be answered, and you can bring it back.")];
  if (!await openDialog("Remove an item", body, "Remove")) return;
  change(`${pick.selectedOptions[0].text} is removed`, "DELETE", `/campaigns/${campaign}/items?id=${encodeURIComponent(pick.value)}`);
});
