// The organiser's live page: it follows the journal and redraws when something happened, and now and then.
import { call, make } from "./api.js";
import { curveChart, gainBar, intervalBar } from "./charts.js";

const root = document.getElementById("dashboard");
const campaign = root.dataset.campaign;
const $ = (id) => document.getElementById(id);
const percent = (share, digits = 1) => `${(100 * share).toFixed(digits)} %`;
const plural = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;
const money = (amount) => amount === null ? "no limit"
  : `${amount.toLocaleString("en", { minimumFractionDigits: Number.isInteger(amount) ? 0 : 2, maximumFractionDigits: 8 })} ${root.dataset.currency}`.trim();
// An average has digits without end: cents will do, and three digits of what is less than one.
const about = (amount) => money(amount < 1 ? Number(amount.toPrecision(3)) : Math.round(100 * amount) / 100);
const MANY = 15; // items, from which on there is a box to find one
const SLOWEST_MS = 700; // at most one redraw in this time, however fast answers come
const STALE_MS = 20_000; // time alone changes things too: leases run out, the end comes, workers leave
const LOST = "connection lost, trying again…";
const live = (text, on) => { $("live").textContent = text; $("live").classList.toggle("on", on); };
let places = new Map();
let drawing = false;
let stale = false;
let following = false; // whether events come in

async function refresh() {
  stale = true;
  if (drawing) return;
  drawing = true;
  try {
    while (stale) {
      stale = false;
      const data = await call("GET", `/campaigns/${campaign}/dashboard`);
      await released();
      const focused = document.activeElement;
      draw(data);
      if (following) live("live", true); // an earlier try may have failed
      refocus(focused);
      await new Promise((done) => setTimeout(done, SLOWEST_MS));
    }
  } catch (error) {
    if (!isSignedOut(error)) live(error.status ? error.message : LOST, false);
  } finally {
    drawing = false;
  }
}

// Signed out, here or in another window: there is no more to see on this page.
function isSignedOut({ status }) {
  if (status === 401) location.assign("/signin");
  return status === 401;
}

// A redraw takes no button from under a finger: what is pressed is let go first.
let pressed = false;
addEventListener("pointerdown", () => { pressed = true; });
for (const end of ["pointerup", "pointercancel", "contextmenu", "blur"]) addEventListener(end, () => { pressed = false; });
async function released() {
  while (pressed) await new Promise((done) => setTimeout(done, 50));
}

// Nor the focus from a keyboard: the button that had it has it in the new rows, too.
// Should its row be gone, the heading above has it: rows are named after their lists.
const HEADINGS = { ban: "workers-title", why: "flight-title", undo: "recent-title", back: "ranking-title" };
function refocus(had) {
  if (had.isConnected) return;
  const heading = HEADINGS[had.id.split("-")[0]];
  ($(had.id) ?? $(heading))?.focus({ preventScroll: true });
}

function draw(data) {
  const head = data.campaign;
  Object.assign(root.dataset, { budget: head.budget ?? "", price: head.price });
  $("status").textContent = head.status;
  $("status").className = `badge ${head.status}`;
  for (const button of root.querySelectorAll(".button-row button")) button.disabled = false; // all that they need is here
  $("pause").hidden = head.status !== "running";
  $("resume").hidden = head.status !== "paused";
  for (const id of ["end", "add-item"]) $(id).hidden = head.status === "ended";
  $("remove-item").hidden = data.ranking.length <= 2;
  $("accuracy").textContent = percent(head.expected_accuracy);
  $("target").textContent = head.target_accuracy ? `target ${percent(head.target_accuracy)}` : "";
  $("answers").textContent = head.answers;
  $("open").textContent = `${plural(data.in_flight.length, "question")} out`;
  $("spent").textContent = money(head.spent);
  $("budget").textContent = `of ${money(head.budget)}${head.held ? `, ${money(head.held)} held` : ""}`;
  const active = data.workers.filter((worker) => worker.answering);
  $("active").textContent = active.length;
  $("active-names").textContent = active.slice(0, 4).map((worker) => worker.name).join(", ") + (active.length > 4 ? "…" : "");
  $("ranking").replaceChildren(...ranking(data.ranking));
  $("removed-part").hidden = !data.removed.length;
  $("removed").replaceChildren(...data.removed.map(removedRow));
  $("find-row").hidden = data.ranking.length <= MANY;
  sift();
  $("workers").replaceChildren(...(data.workers.length ? data.workers.map(workerRow) : [empty("Nobody yet: invite workers.")]));
  $("curve").replaceChildren(curveChart(data.curve, head, data.forecast, money));
  $("forecast").textContent = outlook(data);
  $("flight").replaceChildren(...rows(data.in_flight, flightRow, "Nothing is out."));
  $("recent").replaceChildren(...rows(data.recent, recentRow, "No answers yet."));
}

const empty = (text) => make("tr", {}, make("td", { colspan: "4" }, text));
const rows = (list, row, nothing) => list.length ? list.slice(0, 8).map(row) : [make("li", {}, nothing)];

function ranking(list) {
  const ends = [Math.min(...list.map((row) => row.low)), Math.max(...list.map((row) => row.high))];
  const made = list.map((row) => {
    const moved = places.has(row.item) && places.get(row.item) !== row.rank;
    return make("tr", { class: moved ? "moved" : null, "data-item": row.item },
      make("td", {}, String(row.rank)), make("td", { class: "what", dir: "auto", title: row.label }, make("span", { class: "brief" }, row.label)),
      make("td", { class: "score" }, intervalBar(row, ends)),
      make("td", { class: "number" }, row.prob_above_next === null ? "–" : percent(row.prob_above_next, 0)));
  });
  places = new Map(list.map((row) => [row.item, row.rank]));
  return made;
}

// With many items, a box to find one by; it stays out of the way of a few.
function sift() {
  const wanted = $("find").value.trim().toLowerCase();
  for (const row of $("ranking").rows) row.hidden = !row.textContent.toLowerCase().includes(wanted);
}
$("find").addEventListener("input", sift);

function workerRow(worker) {
  const banned = worker.status === "banned";
  const decided = worker.answers - worker.ties;
  const evidence = banned ? "banned" : worker.answers
    ? `${worker.agreed} of ${decided} agree${worker.ties ? `, ${plural(worker.ties, "tie")}` : ""}` : "no answers yet";
  const ban = make("button", { type: "button", id: `ban-${worker.id}`, class: "small danger", onclick: () => askBan(worker) },
    "Ban", make("span", { class: "sr" }, ` ${worker.name}`));
  return make("tr", { class: banned ? "banned" : null, "data-worker": worker.id },
    make("td", {}, worker.answering ? make("span", { class: "dot", title: "answering now" }) : null, make("span", { dir: "auto" }, worker.name)),
    make("td", { title: `${percent(worker.low, 0)} to ${percent(worker.high, 0)}` },
      `${percent(worker.reliability, 0)} `, make("span", { class: "quiet" }, `(${(100 * worker.low).toFixed(0)}–${(100 * worker.high).toFixed(0)})`)),
    make("td", {}, evidence, worker.favours ? `, favours ${worker.favours}` : null), make("td", { class: "number" }, banned ? null : ban));
}

function removedRow({ item, label }) {
  const back = () => added({ id: item, text: label }, `${label} is back`);
  return make("li", {}, make("span", { class: "what" }, make("span", { class: "brief", dir: "auto" }, label)),
    make("button", { type: "button", id: `back-${item}`, class: "small", onclick: back }, "Bring back", make("span", { class: "sr" }, ` ${label}`)));
}

// Two items: side by side where they are short, one below the other where they are long, and both to be seen.
const pair = (one, sign, other) => [make("span", { class: "one", dir: "auto", title: one }, one), " ",
  make("span", { class: "one", dir: "auto", title: other }, `${sign} ${other}`)];

function flightRow(question) {
  return make("li", {}, make("span", { class: "what" }, ...pair(question.left, "–", question.right), make("span", { class: "who" }, question.worker)),
    make("button", { type: "button", id: `why-${question.id}`, class: "small", onclick: () => why(question) }, "Why?", make("span", { class: "sr" }, ` ${question.left} against ${question.right}`)));
}

function recentRow(answer) {
  const sign = answer.tie ? "=" : "≻";
  const words = `${answer.winner} ${sign} ${answer.loser}`;
  return make("li", {}, make("span", { class: "what" }, ...pair(answer.winner, sign, answer.loser), make("span", { class: "who" }, answer.worker)),
    make("button", { type: "button", id: `undo-${answer.id}`, class: "small", onclick: () => askUndo(answer) }, "Undo", make("span", { class: "sr" }, ` ${words}`)));
}

function outlook({ forecast, campaign: head, nobody_left: stuck, in_flight: out, workers }) {
  const parts = [];
  const costs = workers.filter((worker) => worker.status === "active" && worker.invited).map((worker) => worker.cost);
  const used = head.remaining !== null && head.remaining < Math.min(head.price, ...costs);
  if (head.status === "ended") return "The campaign has ended.";
  if (forecast.target !== null && head.expected_accuracy >= forecast.target) return "The target is reached.";
  if (stuck && !used) {
    if (workers.every((worker) => worker.status === "banned" || !worker.invited)) {
      return "Nobody can be asked: every worker is banned. Invite others.";
    }
    const quota = head.quota ? ` or answered the ${head.quota} questions that each may have` : "";
    return `Nobody can be asked any more: every worker has compared every pair${quota}. Invite more workers.`;
  }
  if (forecast.answers !== null) {
    parts.push(`About ${plural(forecast.answers, "more answer")} (${about(forecast.cost)}) to reach ${percent(forecast.target)}.`);
    if (head.remaining !== null && forecast.cost > head.remaining) parts.push("That is more than the budget has left.");
  } else if (forecast.target !== null && !stuck) parts.push("Too early to say what the target will take.");
  if (used && !out.length) parts.push("The budget is used up.");
  else if (forecast.at_budget !== null) parts.push(`The budget is expected to end at ${percent(forecast.at_budget)}.`);
  if (forecast.price !== head.price && (forecast.answers ?? forecast.at_budget) !== null) {
    parts.push(`This counts ${about(forecast.price)} an answer, the average of those who can still be asked.`);
  }
  return parts.join(" ");
}

// changes: a question first, then the ranking before and after

function openDialog(title, body, confirm) {
  $("dialog-title").textContent = title;
  $("dialog-body").replaceChildren(...body);
  $("dialog-ok").hidden = !confirm;
  $("dialog-ok").textContent = confirm ?? "";
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
  if (isSignedOut(error)) return;
  const lost = "No answer came from the server. Look whether it happened before you try once more.";
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
    refresh();
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
  const words = moved ? `${plural(moved, "item")} changed their place.` : "The order stays as it was.";
  const part = after.length > MANY ? ` These are the first ${MANY} of ${after.length}.` : "";
  return make("div", {}, make("p", {}, words + part),
    make("div", { class: "before-after" }, make("div", {}, make("strong", {}, "Before"), list(before, false)),
      make("div", {}, make("strong", {}, "After"), list(after, true))));
}

async function askBan(worker) {
  const words = make("p", {}, `Their ${plural(worker.answers, "answer")} will no longer count, their links will be void, and the money stays spent.`);
  if (await openDialog(`Ban ${worker.name}?`, [words], "Ban")) {
    change(`${worker.name} is banned`, "POST", `/campaigns/${campaign}/workers/${encodeURIComponent(worker.id)}/ban`);
  }
}

async function askUndo(answer) {
  const words = make("p", {}, `The answer of ${answer.worker} will be withdrawn and the question is open again.`);
  if (await openDialog("Undo this answer?", [words], "Undo")) change("The answer is undone", "POST", `/questions/${answer.id}/undo`);
}

const points = (gain) => `${(100 * gain).toPrecision(2)} points`;
const pairOf = (labels) => make("ol", { class: "pair-names" }, ...labels.map((label) => make("li", { dir: "auto" }, make("span", { class: "brief" }, label))));

function why(question) {
  const path = `/questions/${question.id}/why`;
  return once(path, async () => {
    const reason = await call("GET", path);
    const most = Math.max(reason.gain, reason.runner_up_gain ?? 0, 1e-12);
    const row = (what, pair, gain) => make("div", { class: "gain" }, make("p", { class: "hint" }, what), pairOf(pair),
      make("p", {}, gainBar(gain / most), ` ${points(gain)}`));
    const asked = `${question.worker || "The worker"} is thought to be right in ${percent(reason.reliability, 0)} of cases, and the first `
      + `to be the better one with ${percent(reason.prob_left, 0)}. The answer is expected to raise the accuracy by ${points(reason.gain)}.`;
    const rows = [row("This pair, when it was asked", [reason.left, reason.right], reason.gain)];
    if (reason.runner_up) rows.push(row("The best pair besides", reason.runner_up, reason.runner_up_gain));
    return ["Why this pair?", [make("p", {}, asked), ...rows]];
  });
}

$("pause").addEventListener("click", () => change("Paused", "POST", `/campaigns/${campaign}/pause`));
$("resume").addEventListener("click", () => change("Going on", "POST", `/campaigns/${campaign}/resume`));
$("end").addEventListener("click", async () => {
  const words = make("p", {}, "Nothing will be asked any more. Answers to questions that are out are still taken.");
  if (await openDialog("End the campaign?", [words], "End")) change("The campaign has ended", "POST", `/campaigns/${campaign}/end`);
});
const TERMS = { budget: "The whole budget from now on", price: "The price of an answer from now on" };
$("extend").addEventListener("click", async () => {
  const fields = Object.keys(TERMS).map((name) => make("input", { id: `new-${name}`, name, inputmode: "decimal", autocomplete: "off", value: root.dataset[name] ?? "" }));
  const body = fields.flatMap((field) => [make("label", { for: field.id }, TERMS[field.name]), field]);
  body.push(make("p", { class: "hint" }, "Questions that are out keep the price that they were asked at."));
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
  if (Object.keys(terms).length) change("The terms are changed", "PATCH", `/campaigns/${campaign}`, terms);
});

const KINDS = { text: "plain text", markdown: "Markdown", image: "a picture, by its address" };
const itemText = make("textarea", { id: "new-item", rows: "3" }); // what was written stays until it is taken
const itemKind = make("select", { id: "new-item-kind" }, ...Object.entries(KINDS).map(([value, words]) => make("option", { value }, words)));
$("add-item").addEventListener("click", async () => {
  const body = [make("label", { for: "new-item" }, "One more item"), itemText, make("label", { for: "new-item-kind" }, "It is"), itemKind,
    make("p", { class: "hint" }, "Nothing is known of it yet: it is asked about from now on.")];
  if (!await openDialog("Add an item", body, "Add")) return;
  const item = { text: itemText.value, kind: itemKind.value };
  itemText.value = "";
  if (!await added(item, "The item is added")) itemText.value ||= item.text;
});

function added(item, title) {
  return once(JSON.stringify(item), async () => {
    const { n_items: count } = await call("POST", `/campaigns/${campaign}/items`, item);
    refresh();
    return [title, [make("p", {}, `The campaign has ${plural(count, "item")} now.`)]];
  });
}

$("remove-item").addEventListener("click", async () => {
  const names = [...$("ranking").rows].map((row) => [row.dataset.item, row.querySelector(".what").title]);
  const pick = make("select", { id: "old-item" }, ...names.map(([value, words]) => make("option", { value }, words)));
  const body = [make("label", { for: "old-item" }, "The item that is asked about no more"), pick,
    make("p", { class: "hint" }, "It has no place in the ranking then. Its answers still tell of the others, what is out about it can be answered, and you can bring it back.")];
  if (!await openDialog("Remove an item", body, "Remove")) return;
  change(`${pick.selectedOptions[0].text} is removed`, "DELETE", `/campaigns/${campaign}/items/${encodeURIComponent(pick.value)}`);
});

// Events are followed while somebody looks: a browser has six connections for all pages of a server without HTTP/2, and
// the seventh dashboard would not even load.
let source = null;
function follow() {
  source?.close();
  following = false;
  if (document.hidden) return;
  refresh(); // what is there already does not wait for what comes
  source = new EventSource(`/api/v1/campaigns/${campaign}/events`);
  source.onopen = () => { following = true; live("live", true); refresh(); };
  source.onerror = () => {
    following = false;
    live(LOST, false);
    if (source.readyState !== EventSource.CLOSED) return; // the browser tries again by itself
    refresh(); // tells why, if we were signed out
    setTimeout(follow, 3000);
  };
  for (const kind of ["asked", "answered", "skipped", "expired", "undone", "retracted", "workeradded", "itemadded", "itemremoved",
    "budgetset", "costset", "targetset", "paused", "resumed", "ended"]) source.addEventListener(kind, refresh);
}
follow();
document.addEventListener("visibilitychange", follow);
setInterval(() => { if (!document.hidden) refresh(); }, STALE_MS);
