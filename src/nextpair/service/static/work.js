// The worker's page: the pair in front, the next one already here, answers sent in the background until they arrived.
import { call, speakAs } from "./api.js";
import { onPress } from "./card.js";
import { fill, isStrange } from "./item.js";
import { choiceOf } from "./keys.js";
import { phrase } from "./language.js";
import { Outbox, deliver } from "./outbox.js";
import { isFinal, isOther, isShut, whyClosed, whyNotTaken, whyNotUndone } from "./refusals.js";
import { giveCode, isPaid, keepCode, saved, showRanking, thank } from "./thanks.js";

const root = document.getElementById("work");
const campaign = root.dataset.campaign;
const $ = (id) => document.getElementById(id);
speakAs(root.dataset.worker);
const outbox = new Outbox(`nextpair-outbox-${campaign}-${root.dataset.worker}-`);
const AHEAD = 2; // the question that is shown and the one behind it
const WAIT_MS = 4000; // until it looks again whether there is something to ask
const SELDOM_MS = 10_000; // twice this for who was thanked, and then ever more
const RAREST_MS = 300_000;
const SETTLE_MS = 250; // the second half of a double click is not an answer to the next pair

const state = {
  queue: [], last: null, paused: false, drained: false, started: false, filling: null, sending: false, settling: null,
  reopened: null, ended: false, looking: null, seldom: SELDOM_MS,
  given: new Set(), // answers that the server may not have heard of when it chose the question that is on its way
};

function show(name) {
  for (const id of ["asking", "resting", "waiting", "done"]) $(id).hidden = id !== name;
  $("pause").hidden = name !== "asking";
}

function showWaiting(title = phrase("waiting.title"), text = phrase("waiting.text")) {
  show("waiting");
  $("waiting-title").textContent = title;
  $("waiting-text").textContent = text;
}

function say(text) { $("status").textContent = text; }

function draw() {
  if (state.paused) return;
  const question = state.queue[0];
  if (!question) { showWaiting(); return; }
  state.seldom = SELDOM_MS;
  fill($("left"), question.left, "first");
  fill($("right"), question.right, "second");
  if ($("asking").hidden || $("asking").dataset.question !== question.id) settle();
  $("asking").dataset.question = question.id;
  offerUndo();
  const before = $("asking").hidden;
  show("asking");
  for (const frame of document.querySelectorAll(".sideways")) {
    if (frame.scrollWidth > frame.clientWidth) frame.tabIndex = 0; // for those who scroll with the keyboard
  }
  // focus goes to the question: a screen reader starts there, and the space bar cannot press the last button again
  if (before || document.activeElement?.closest("#asking")) $("question").focus({ preventScroll: true });
  for (const item of state.queue.slice(1).flatMap((next) => [next.left, next.right])) {
    if (item.image) new Image().src = item.image;
  }
}

function settle() {
  clearTimeout(state.settling);
  $("asking").dataset.settling = "yes";
  state.settling = setTimeout(() => { delete $("asking").dataset.settling; }, SETTLE_MS);
}

function progress({ answers, quota, ended }) {
  state.ended = ended;
  offerUndo();
  $("progress-text").textContent = quota ? phrase("progress.of_quota", { answers, quota }) : phrase("progress.answered", { count: answers });
  const bar = $("progress");
  bar.hidden = !quota;
  if (quota) { bar.max = quota; bar.value = answers; }
}

// After the end an answer stays as it is.
function offerUndo() {
  $("undo").disabled = !state.last;
  $("undo").hidden = state.ended;
  $("undo-last").hidden = state.ended || !state.last;
}

// To wait, but not for longer than the connection is away.
const pause = (ms) => new Promise((done) => {
  setTimeout(done, ms);
  addEventListener("online", done, { once: true });
});

const LOST = phrase("no_connection");

async function stubborn(work) {
  for (let wait = 500; ; wait = Math.min(wait * 2, 8000)) {
    try {
      const result = await work();
      if ($("status").textContent === LOST) say("");
      return result;
    } catch (error) {
      if (isFinal(error)) throw error;
      say(LOST);
      await pause(wait);
    }
  }
}

function refill() {
  state.filling ??= fetchMore().catch(closed).finally(() => { state.filling = null; });
  return state.filling;
}

async function questions(method) {
  const given = await stubborn(() => call(method, `/campaigns/${campaign}/questions`));
  if (!given || ![given].flat().some(({ left, right }) => isStrange(left) || isStrange(right))) return given;
  location.reload();
  return new Promise(() => {}); // nothing more happens on this page
}

async function fetchMore() {
  while (state.queue.length < AHEAD && !state.drained && !state.paused) {
    state.given = new Set(outbox.waiting.map(({ id }) => id));
    const question = await questions("POST");
    if (question === null) { await nothing(); return; }
    if (state.given.has(question.id) || state.queue.some(({ id }) => id === question.id)) continue;
    state.queue.push(question);
    if (state.queue.length === 1) draw();
  }
}

async function nothing() {
  if (state.queue.length || outbox.next) return; // look again when these are answered
  state.queue = await questions("GET"); // open in another window?
  if (state.queue.length) { draw(); return; }
  const { progress: mine, completion } = await stubborn(() => call("GET", `/campaigns/${campaign}`));
  progress(mine);
  if (mine.state === "done") { finish(mine, completion); return; }
  showWaiting(phrase("nothing_now.title"), phrase("nothing_now.text"));
  lookLater();
}

// Only while somebody sees the page: a question that nobody sees would hold its price. Who was thanked, ever more seldom.
function lookLater() {
  if (state.drained) state.seldom = Math.min(2 * state.seldom, RAREST_MS);
  clearTimeout(state.looking);
  state.looking = setTimeout(look, state.drained ? state.seldom : WAIT_MS);
}

function look() {
  if (document.hidden) document.addEventListener("visibilitychange", look, { once: true });
  else if (state.drained) offerMore();
  else refill();
}

// The budget may be raised, an item join, an answer be undone. Who was thanked may have left, though: nothing is taken for
// them or put in place of what they read, and that there is more is said.
async function offerMore() {
  try {
    const open = await call("GET", `/campaigns/${campaign}/questions`);
    const { progress: mine } = await call("GET", `/campaigns/${campaign}`);
    if ($("done").hidden) return; // they went on meanwhile
    progress(mine);
    thank(mine, open.length > 0 || mine.state === "open");
    if (mine.ended) return;
  } catch (error) {
    if (isFinal(error)) return; // thanks are enough
  }
  lookLater();
}

function goOn() {
  state.drained = false;
  keepCode();
  say("");
  draw();
  refill();
}

function finish(mine, completion) {
  state.drained = true;
  show("done");
  thank(mine, false);
  giveCode(completion);
  offerUndo();
  $("done-title").focus();
  if (!mine.ended) lookLater();
  if (root.dataset.showRanking) showRanking(campaign);
}

const UNDONE = phrase("undone");

// How often the answer was undone, here or in another window: who undoes the next one says so.
function count(id, undone) {
  for (const question of [...state.queue, state.last]) if (question?.id === id) question.undone = undone;
}

function reopened(id) {
  say(UNDONE);
  state.reopened = id;
  outbox.owe(id);
}

async function send() {
  if (state.sending) return;
  state.sending = true;
  try {
    while (outbox.next) {
      const { next } = outbox;
      let sent;
      try {
        const { progress: mine, id, undone } = await stubborn(() => {
          sent = outbox.isOurs(next) ? next.choice : null;
          return sent ? deliver(next) : call("GET", `/campaigns/${campaign}`); // another window saw to it
        });
        count(id, undone);
        progress(mine);
        if (sent === "undo") reopened(next.id); else if (sent) say(saved(sent, mine));
      } catch (error) {
        if (isShut(error)) { closed(error); return; } // kept, for the right link
        if (sent === "undo") notUndone(next, error); else notTaken(next, error);
      }
      if (next.choice === sent || !outbox.isOurs(next)) outbox.drop(next); // if not, it was undone on its way: this goes after it
    }
  } finally {
    state.sending = false;
  }
  if (state.started && !state.queue.length) refill();
}

function closed(error) {
  state.drained = true;
  state.queue = [];
  showWaiting(...whyClosed(error));
  $("waiting-title").focus();
  say("");
}

function answer(choice) {
  if ("settling" in $("asking").dataset || !state.queue.length) return;
  const question = state.queue.shift();
  outbox.put({ id: question.id, choice });
  state.given.add(question.id);
  state.last = choice === "skip" ? null : { ...question, choice };
  say("");
  draw();
  send();
  refill();
}

function undo() {
  const question = state.last;
  if (!question || state.ended) return;
  state.last = null;
  outbox.withdraw(question);
  state.queue.unshift(question);
  state.drained = false;
  keepCode();
  say(UNDONE);
  draw();
  send();
}

function notTaken({ id }, error) {
  if (state.last?.id === id) state.last = null; // there is nothing to undo
  offerUndo();
  say(whyNotTaken(error, isPaid));
}

function notUndone({ id, unsure }, error) {
  if (unsure && !isOther(error)) return; // there was nothing to undo
  state.queue = state.queue.filter((question) => question.id !== id);
  say(whyNotUndone(error));
  draw();
}

document.addEventListener("keydown", (event) => {
  const choice = $("asking").hidden ? null : choiceOf(event);
  if (!choice) return;
  event.preventDefault();
  if (choice === "undo") undo(); else answer(choice);
});
for (const button of root.querySelectorAll("button[data-choice]")) {
  button.addEventListener("click", (event) => { event.stopPropagation(); answer(button.dataset.choice); });
}
for (const side of ["left", "right"]) onPress($(side).closest(".choice"), () => answer(side));
$("undo").addEventListener("click", undo);
$("undo-last").addEventListener("click", undo);
$("go-on").addEventListener("click", goOn);
$("pause").addEventListener("click", () => { state.paused = true; show("resting"); $("resting-title").focus(); });
$("resume").addEventListener("click", () => { state.paused = false; draw(); refill(); });

async function start() {
  showWaiting();
  try {
    await send(); // what an earlier visit could not send
    const { progress: mine, completion, last } = await stubborn(() => call("GET", `/campaigns/${campaign}`));
    state.last = last ?? null; // of an earlier visit
    progress(mine);
    giveCode(completion); // who was given it before keeps it, though there be more to answer now
    keepCode();
    const open = await questions("GET");
    const isFirst = ({ id }) => id === state.reopened; // what was undone is chosen again before anything else
    state.queue = [...open.filter(isFirst), ...open.filter((question) => !isFirst(question))];
    state.started = true;
    draw();
    await refill();
  } catch (error) {
    closed(error);
  }
}
start();
