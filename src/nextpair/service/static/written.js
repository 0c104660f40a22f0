// What an organiser wrote into a form is sent only when it will be taken. Who was signed out meanwhile, here or by time, or
// has no connection, is told so and loses nothing, nor the files that they chose: the page stays as it is. Loaded by every
// page of theirs and by no other script, for under another address it would run twice.
import { formTokenAt, make, signedOut } from "./api.js";

const SMALL = "/tokens"; // a page that only organisers see
const NO_ANSWER = ["The server did not answer. What you wrote is still here: send it again in a moment."];

async function whyNot(form) {
  try {
    const { at, token } = await formTokenAt(SMALL);
    if (at !== SMALL) return signedOut();
    form.elements.csrf.value = token; // who signed in anew has another one
    return null;
  } catch {
    return NO_ANSWER;
  }
}

const asking = new Set();
const passing = new Set();
const notice = make("p", { class: "problem", role: "alert" });
// before once.js hears of it, which counts what was sent
addEventListener("submit", async (event) => {
  const { target: form, submitter } = event;
  if (!form.matches("main form[method=post]") || passing.has(form)) return;
  event.preventDefault();
  event.stopPropagation();
  if (asking.has(form)) return;
  asking.add(form);
  notice.remove();
  const why = await whyNot(form);
  asking.delete(form);
  if (why) {
    notice.replaceChildren(...why);
    (submitter?.closest("p") ?? form.lastElementChild).before(notice);
    return;
  }
  passing.add(form);
  form.requestSubmit(submitter);
  passing.delete(form);
}, true);
