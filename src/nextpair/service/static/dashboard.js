// The organiser's live page: it follows the journal and redraws when something happened, and now and then.
import { call, make } from "./api.js";
import { added, askBan, askUndo, isSignedOut, refocus, why } from "./changes.js";
import { curveChart, intervalBar } from "./charts.js";
import { about, moment, money, percent, plural } from "./words.js";

const root = document.getElementById("dashboard");
const campaign = root.dataset.campaign;
const $ = (id) => document.getElementById(id);
const MANY = 15; // items, from which on there is a box to find one
const SHOWN = 8; // open questions, the oldest first, and answers, the latest first
const SLOWEST_MS = 700; // at most one redraw in this time, however fast answers come
const STALE_MS = 20_000; // time alone changes things too: leases run out, the end comes, workers leave
const EARLY = "If the items are closer together than this policy assumes, it stops before the target is really reached. A campaign that is created with a target has the policy full-posterior-checked, which learns how far apart they are.";
const LOST = "connection lost, trying again…";
function live(text, on) {
  if ($("live").textContent !== text) $("live").textContent = text; // or it would be read out at each redraw
  $("live").classList.toggle("on", on);
}
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
    if (error.status === 404) leave();
    else live(isSignedOut(error) ? "signed out" : error.status ? error.message : LOST, false);
  } finally {
    drawing = false;
  }
}

// Somebody has deleted the campaign: there is nothing to try again.
let gone = false;
function leave() {
  gone = true;
  source?.close();
  live("This campaign was deleted. This page shows how it was.", false);
  for (const button of root.querySelectorAll("button")) button.disabled = true;
}

// A redraw takes no button from under a finger: what is pressed is let go first.
let pressed = false;
addEventListener("pointerdown", () => { pressed = true; });
for (const end of ["pointerup", "pointercancel", "contextmenu", "blur"]) addEventListener(end, () => { pressed = false; });
async function released() {
  while (pressed) await new Promise((done) => setTimeout(done, 50));
}

function draw(data) {
  const head = data.campaign;
  Object.assign(root.dataset, { budget: head.budget ?? "", price: head.price, endsAt: head.ends_at ?? "", language: head.language });
  $("ends-at-row").hidden = !head.ends_at;
  $("ends-at").textContent = head.ends_at ? moment(head.ends_at) : "";
  $("status").textContent = head.phase;
  $("status").className = `badge ${head.phase}`;
  for (const button of root.querySelectorAll(".button-row button")) button.disabled = false; // all that they need is here
  $("pause").hidden = head.phase !== "running";
  $("resume").hidden = head.phase !== "paused";
  for (const id of ["end", "end-time", "add-item"]) $(id).hidden = head.phase === "ended";
  $("remove-item").hidden = head.n_items <= head.fewest_items;
  $("accuracy").textContent = percent(head.expected_accuracy);
  $("target").textContent = head.target_accuracy ? `target ${percent(head.target_accuracy)}` : "";
  $("answers").textContent = head.answers;
  $("open").textContent = `${plural(data.in_flight.length, "open question")}`;
  $("spent").textContent = money(head.spent);
  $("budget").textContent = `of ${money(head.budget)}${head.held ? `, ${money(head.held)} held` : ""}`;
  const active = data.workers.filter((worker) => worker.answering);
  $("active").textContent = active.length;
  $("active-names").replaceChildren(...active.slice(0, 4).flatMap(({ name }, k) => [k ? ", " : "", make("bdi", {}, name)]), active.length > 4 ? "…" : "");
  $("ranking").replaceChildren(...ranking(data.ranking, head.best));
  $("guess").hidden = !data.guess;
  $("guess").textContent = data.guess;
  $("removed-part").hidden = !data.removed.length;
  $("removed").replaceChildren(...data.removed.map(removedRow));
  $("find-row").hidden = data.ranking.length <= MANY;
  sift();
  $("workers").replaceChildren(...(data.workers.length ? data.workers.map((worker) => workerRow(worker, head.price)) : [empty("Nobody yet: invite workers.")]));
  $("curve").replaceChildren(curveChart(data.curve, head, data.forecast, money));
  $("forecast").textContent = `${outlook(data)} ${head.may_stop_early && head.phase !== "ended" ? EARLY : ""}`.trim();
  $("flight").replaceChildren(...rows(data.in_flight, flightRow, "No open questions."), ...andMore(data.in_flight.length - SHOWN));
  $("recent").replaceChildren(...rows(data.recent, recentRow, "No answers yet."));
}

const empty = (text) => make("tr", {}, make("td", { colspan: "4" }, text));
const rows = (list, row, nothing) => list.length ? list.slice(0, SHOWN).map(row) : [make("li", {}, nothing)];
const andMore = (count) => count > 0 ? [make("li", { class: "quiet" }, `and ${count} more`)] : [];

function ranking(list, best) {
  const ends = [Math.min(...list.map((row) => row.low)), Math.max(...list.map((row) => row.high))];
  const made = list.map((row) => {
    const moved = places.has(row.item) && places.get(row.item) !== row.rank;
    const sure = best ? row.prob_best : row.prob_above_next;
    const classes = [moved && "moved", row.rank === best && "last-best"].filter(Boolean).join(" ");
    return make("tr", { class: classes || null, "data-item": row.item },
      make("td", {}, String(row.rank)), make("td", { class: "what", dir: "auto", title: row.label }, make("span", { class: "brief" }, row.label)),
      make("td", { class: "score" }, intervalBar(row, ends)),
      make("td", { class: "number" }, sure === null ? "–" : percent(sure, 0)));
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

function workerRow(worker, price) {
  const banned = worker.status === "banned";
  const own = banned || worker.price === price ? null : [worker.price, worker.spent].map((amount) => money(amount).replace(" ", "\u00a0"));
  const decided = worker.answers - worker.ties;
  const evidence = banned ? "banned" : worker.answers
    ? `${worker.agreed} of ${decided} agree${worker.ties ? `, ${plural(worker.ties, "tie")}` : ""}` : "no answers yet";
  const ban = make("button", { type: "button", id: `ban-${worker.id}`, class: "small danger", onclick: () => askBan(worker) },
    "Ban", make("span", { class: "sr" }, ` ${worker.name}`));
  return make("tr", { class: banned ? "banned" : null, "data-worker": worker.id, "data-name": worker.name, "data-price": !banned && worker.invited && worker.price },
    make("td", {}, worker.answering ? make("span", { class: "dot", title: "answering now" }) : null, make("span", { dir: "auto" }, worker.name),
      own ? make("span", { class: "own-price" }, `${own[0]} an answer, ${own[1]} so far`) : null),
    make("td", { title: `${percent(worker.low, 0)} to ${percent(worker.high, 0)}` },
      `${percent(worker.reliability, 0)} `, make("span", { class: "quiet" }, `(${(100 * worker.low).toFixed(0)}–${(100 * worker.high).toFixed(0)})`)),
    make("td", {}, evidence, worker.skipped ? `, ${worker.skipped} skipped` : null, worker.late ? `, ${worker.late} too late` : null, worker.known && !banned ? ", known beforehand" : null, worker.favours ? `, favours ${worker.favours}` : null), make("td", { class: "number" }, banned ? null : ban));
}

function removedRow({ item, label }) {
  const back = () => added({ id: item, text: label }, `${label} is back`);
  return make("li", {}, make("span", { class: "what" }, make("span", { class: "brief", dir: "auto" }, label)),
    make("button", { type: "button", id: `back-${item}`, class: "small", onclick: back }, "Bring back", make("span", { class: "sr" }, ` ${label}`)));
}

// Two items: side by side where they are short, one below the other where they are long, and both to be seen. The sign stands
// between them and points to the second, also where that is written from right to left.
const pair = (one, sign, other) => [make("span", { class: "one", dir: "auto", title: one }, one), " ",
  make("span", { class: "other" }, `${sign} `, make("span", { class: "one", dir: "auto", title: other }, other))];

function flightRow(question) {
  return make("li", {}, make("span", { class: "what" }, ...pair(question.left, "–", question.right), make("span", { class: "who" }, make("bdi", {}, question.worker))),
    make("button", { type: "button", id: `why-${question.id}`, class: "small", onclick: () => why(question) }, "Why?", make("span", { class: "sr" }, ` ${question.left} against ${question.right}`)));
}

function recentRow(answer) {
  const sign = answer.tie ? "=" : answer.much ? "≫" : "≻";
  const words = `${answer.winner} ${sign} ${answer.loser}`;
  return make("li", {}, make("span", { class: "what" }, ...pair(answer.winner, sign, answer.loser), make("span", { class: "who" }, make("bdi", {}, answer.worker))),
    make("button", { type: "button", id: `undo-${answer.id}`, class: "small", onclick: () => askUndo(answer) }, "Undo", make("span", { class: "sr" }, ` ${words}`)));
}

function outlook({ forecast, campaign: head, nobody_left: stuck, in_flight: out, workers }) {
  const parts = [];
  const costs = workers.filter((worker) => worker.status === "active" && worker.invited).map((worker) => worker.price);
  const used = head.remaining !== null && head.remaining < Math.min(head.price, ...costs);
  if (head.phase === "ended") return "The campaign has ended.";
  if (head.target_reached) return "The target is reached.";
  const waits = forecast.target !== null && head.expected_accuracy >= forecast.target;
  if (stuck && !used) {
    if (workers.every((worker) => worker.status === "banned" || !worker.invited)) {
      return "Nobody can be asked: every worker is banned. Invite others.";
    }
    const quota = head.quota ? ` or answered the ${head.quota} questions that each of them may get` : "";
    return `Nobody can be asked any more: every worker has compared every pair${quota}. Invite more workers.`;
  }
  if (waits) parts.push(`The target accuracy is reached; questions go on until every item has been shown ${plural(head.min_looks, "time")}.`);
  else if (forecast.answers !== null) {
    parts.push(`About ${plural(forecast.answers, "more answer")} (${about(forecast.cost)}) to reach ${percent(forecast.target)}.`);
    if (head.remaining !== null && forecast.cost > head.remaining) parts.push("That is more than is left of the budget.");
  } else if (forecast.target !== null && !stuck) parts.push("It is too early to say what reaching the target will take.");
  if (used && !out.length) parts.push("The budget is used up.");
  else if (forecast.at_budget !== null) parts.push(`The whole budget is expected to reach ${percent(forecast.at_budget)}.`);
  const suffices = forecast.answers !== null && forecast.answers <= forecast.most;
  if (forecast.most !== null && !used && !suffices) {
    const bought = Math.floor(head.remaining / forecast.price + 1e-9);
    parts.push(`Your workers can be asked ${plural(forecast.most, "more question")}, but the budget buys ${plural(bought, "answer")}: invite more workers to use the rest.`);
  }
  if (forecast.price !== head.price && (forecast.answers || forecast.at_budget) !== null) {
    parts.push(`This assumes ${about(forecast.price)} an answer, the average price of the workers who can still be asked.`);
  }
  return parts.join(" ");
}

// Events are followed while somebody looks: a browser has six connections for all pages of a server without HTTP/2, and
// the seventh dashboard would not even load.
let source = null;
function follow() {
  source?.close();
  following = false;
  if (document.hidden || gone) return;
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
root.addEventListener("changed", refresh);
document.addEventListener("visibilitychange", follow);
setInterval(() => { if (!document.hidden && !gone) refresh(); }, STALE_MS);
