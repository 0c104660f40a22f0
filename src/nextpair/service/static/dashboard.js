// The organiser's live page: it follows the journal and redraws when something happened.
import { call, make } from "./api.js";
import { curveChart, intervalBar } from "./charts.js";

const root = document.getElementById("dashboard");
const campaign = root.dataset.campaign;
const $ = (id) => document.getElementById(id);
const percent = (share, digits = 1) => `${(100 * share).toFixed(digits)} %`;
const money = (amount) => amount === null ? "no limit"
  : `${amount.toLocaleString("en", { minimumFractionDigits: Number.isInteger(amount) ? 0 : 2, maximumFractionDigits: 2 })} ${root.dataset.currency}`.trim();
const SLOWEST_MS = 700; // at most one redraw in this time, however fast answers come
let places = new Map();
let drawing = false;
let stale = false;

async function refresh() {
  stale = true;
  if (drawing) return;
  drawing = true;
  try {
    while (stale) {
      stale = false;
      draw(await call("GET", `/campaigns/${campaign}/dashboard`));
      await new Promise((done) => setTimeout(done, SLOWEST_MS));
    }
  } catch (error) {
    $("live").textContent = error.message;
  } finally {
    drawing = false;
  }
}

function draw(data) {
  const head = data.campaign;
  $("status").textContent = head.status;
  $("status").className = `badge ${head.status}`;
  $("pause").hidden = head.status !== "running";
  $("resume").hidden = head.status !== "paused";
  $("end").hidden = head.status === "ended";
  $("accuracy").textContent = percent(head.expected_accuracy);
  $("target").textContent = head.target_accuracy ? `target ${percent(head.target_accuracy)}` : "";
  $("answers").textContent = head.answers;
  $("open").textContent = `${data.in_flight.length} questions out`;
  $("spent").textContent = money(head.spent);
  $("budget").textContent = `of ${money(head.budget)}${head.held ? `, ${money(head.held)} held` : ""}`;
  const active = data.workers.filter((worker) => worker.answering);
  $("active").textContent = active.length;
  $("active-names").textContent = active.slice(0, 4).map((worker) => worker.name).join(", ") + (active.length > 4 ? "…" : "");
  $("ranking").replaceChildren(...ranking(data.ranking));
  $("workers").replaceChildren(...(data.workers.length ? data.workers.map(workerRow) : [empty("Nobody yet: invite workers.")]));
  $("curve").replaceChildren(curveChart(data.curve, head, data.forecast, money));
  $("forecast").textContent = outlook(data);
  $("flight").replaceChildren(...rows(data.in_flight, flightRow, "Nothing is out."));
  $("recent").replaceChildren(...rows(data.recent, recentRow, "No answers yet."));
}

const empty = (text) => make("tr", {}, make("td", { colspan: "4" }, text));
const rows = (list, row, nothing) => list.length ? list.slice(0, 8).map(row) : [make("li", {}, nothing)];

function ranking(list) {
  const most = Math.max(...list.map((row) => row.high));
  const made = list.map((row) => {
    const moved = places.has(row.item) && places.get(row.item) !== row.rank;
    return make("tr", { class: moved ? "moved" : null, "data-item": row.item },
      make("td", {}, String(row.rank)), make("td", {}, row.label),
      make("td", { class: "score" }, intervalBar(row, most)),
      make("td", { class: "number" }, row.prob_above_next === null ? "–" : percent(row.prob_above_next, 0)));
  });
  places = new Map(list.map((row) => [row.item, row.rank]));
  return made;
}

function workerRow(worker) {
  const banned = worker.status === "banned";
  const decided = worker.answers - worker.ties;
  const evidence = banned ? "banned" : worker.answers
    ? `${worker.agreed} of ${decided} agree${worker.ties ? `, ${worker.ties} ties` : ""}` : "no answers yet";
  const ban = make("button", { type: "button", class: "small danger", onclick: () => askBan(worker) },
    "Ban", make("span", { class: "sr" }, ` ${worker.name}`));
  return make("tr", { class: banned ? "banned" : null, "data-worker": worker.id },
    make("td", {}, worker.answering ? make("span", { class: "dot", title: "answering now" }) : null, worker.name),
    make("td", { title: `${percent(worker.low, 0)} to ${percent(worker.high, 0)}` },
      `${percent(worker.reliability, 0)} `, make("span", { class: "quiet" }, `(${(100 * worker.low).toFixed(0)}–${(100 * worker.high).toFixed(0)})`)),
    make("td", {}, evidence), make("td", { class: "number" }, banned ? null : ban));
}

function flightRow(question) {
  return make("li", {}, make("span", { class: "what" }, `${question.left} – ${question.right}`, make("span", { class: "who" }, question.worker)),
    make("button", { type: "button", class: "small", onclick: () => why(question) }, "Why?", make("span", { class: "sr" }, ` ${question.left} against ${question.right}`)));
}

function recentRow(answer) {
  const words = answer.tie ? `${answer.winner} = ${answer.loser}` : `${answer.winner} ≻ ${answer.loser}`;
  return make("li", {}, make("span", { class: "what" }, words, make("span", { class: "who" }, answer.worker)),
    make("button", { type: "button", class: "small", onclick: () => askUndo(answer) }, "Undo", make("span", { class: "sr" }, ` ${words}`)));
}

function outlook({ forecast, campaign: head }) {
  const parts = [];
  if (forecast.target !== null && forecast.answers === 0) parts.push("The target is reached.");
  else if (forecast.answers !== null) {
    parts.push(`About ${forecast.answers} more answers (${money(forecast.cost)}) to reach ${percent(forecast.target)}.`);
    if (head.remaining !== null && forecast.cost > head.remaining) parts.push("That is more than the budget has left.");
  } else if (forecast.target !== null) parts.push("Too early to say what the target will take.");
  if (forecast.at_budget !== null) parts.push(`The budget is expected to end at ${percent(forecast.at_budget)}.`);
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
  $("dialog").showModal();
  return new Promise((done) => { $("dialog").onclose = () => done($("dialog").returnValue === "ok"); });
}

async function change(title, method, path, body) {
  try {
    const result = await call(method, path, body);
    refresh();
    openDialog(title, [beforeAfter(result)]);
  } catch (error) {
    openDialog("That did not work", [make("p", {}, error.message)]);
  }
}

function beforeAfter({ before, after }) {
  const was = new Map(before.map((row) => [row.item, row.rank]));
  const list = (rowsOf, marks) => make("ol", {}, ...rowsOf.map((row) => {
    const step = marks ? was.get(row.item) - row.rank : 0;
    const mark = step > 0 ? ` ▲ ${step}` : step < 0 ? ` ▼ ${-step}` : "";
    return make("li", { class: step > 0 ? "up" : step < 0 ? "down" : null }, row.label + mark);
  }));
  const moved = after.filter((row) => was.get(row.item) !== row.rank).length;
  return make("div", {}, make("p", {}, moved ? `${moved} items changed their place.` : "The order stays as it was."),
    make("div", { class: "before-after" }, make("div", {}, make("strong", {}, "Before"), list(before, false)),
      make("div", {}, make("strong", {}, "After"), list(after, true))));
}

async function askBan(worker) {
  const words = make("p", {}, `Their ${worker.answers} answers will no longer count, their links will be void, and the money stays spent.`);
  if (await openDialog(`Ban ${worker.name}?`, [words], "Ban")) {
    change(`${worker.name} is banned`, "POST", `/campaigns/${campaign}/workers/${encodeURIComponent(worker.id)}/ban`);
  }
}

async function askUndo(answer) {
  const words = make("p", {}, `The answer of ${answer.worker} will be withdrawn and the question is open again.`);
  if (await openDialog("Undo this answer?", [words], "Undo")) change("The answer is undone", "POST", `/questions/${answer.id}/undo`);
}

async function why(question) {
  try {
    const reason = await call("GET", `/questions/${question.id}/why`);
    const bars = [make("p", {}, reason.text)];
    const facts = make("dl", { class: "facts" });
    const fact = (name, value) => facts.append(make("div", {}, make("dt", {}, name), make("dd", {}, value)));
    fact(`${reason.left} – ${reason.right}, when it was asked`, reason.gain.toPrecision(2));
    if (reason.runner_up) fact(`${reason.runner_up.join(" – ")}, the best pair besides`, reason.runner_up_gain.toPrecision(2));
    openDialog("Why this pair?", [...bars, facts]);
  } catch (error) {
    openDialog("Why this pair?", [make("p", {}, error.message)]);
  }
}

$("pause").addEventListener("click", () => change("Paused", "POST", `/campaigns/${campaign}/pause`));
$("resume").addEventListener("click", () => change("Going on", "POST", `/campaigns/${campaign}/resume`));
$("end").addEventListener("click", async () => {
  const words = make("p", {}, "Nothing will be asked any more. Answers to questions that are out are still taken.");
  if (await openDialog("End the campaign?", [words], "End")) change("The campaign has ended", "POST", `/campaigns/${campaign}/end`);
});
$("extend").addEventListener("click", async () => {
  const field = make("input", { id: "new-budget", inputmode: "decimal", autocomplete: "off" });
  const body = [make("label", { for: "new-budget" }, "The whole budget from now on"), field];
  if (!await openDialog("Change the budget", body, "Change")) return;
  const written = field.value.trim();
  const budget = Number(written.replace(",", "."));
  // 1,000 is a thousand here and one there: nobody should have to guess about money
  const unclear = /^[1-9]\d{0,2}([.,' ]\d{3})+([.,]\d*)?$/.test(written);
  if (unclear || !written || Number.isNaN(budget)) {
    openDialog("That did not work", [make("p", {}, `“${written}” is not clear: write the budget like 1000 or 12.50.`)]);
  } else change("The budget is changed", "PATCH", `/campaigns/${campaign}`, { budget });
});

function follow() {
  const source = new EventSource(`/api/v1/campaigns/${campaign}/events`);
  const live = (text, on) => { $("live").textContent = text; $("live").classList.toggle("on", on); };
  source.onopen = () => { live("live", true); refresh(); };
  source.onerror = () => {
    live("connection lost, trying again…", false);
    if (source.readyState === EventSource.CLOSED) setTimeout(follow, 3000);
  };
  for (const kind of ["asked", "answered", "skipped", "expired", "undone", "retracted", "workeradded", "itemadded",
    "budgetset", "targetset", "paused", "resumed", "ended"]) source.addEventListener(kind, refresh);
  addEventListener("pagehide", () => source.close());
}
follow();
