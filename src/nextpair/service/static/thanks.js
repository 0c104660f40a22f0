// What a worker reads who has answered all that there is for them.
import { call, make } from "./api.js";
import { plural } from "./words.js";

const $ = (id) => document.getElementById(id);

// Who is paid by a code is told what is missing for it, while they answer and in the end.
export const isPaid = document.getElementById("work").dataset.completion;

export function saved(choice, { answers, skipped, missing }) {
  if (choice !== "skip" || !isPaid || !missing || !$("completion").hidden) return "Saved.";
  return `Skipped. So far you have skipped ${skipped} and answered ${answers}: for the completion code, answer at least as many as you skip. “Cannot tell” counts as an answer.`;
}

export function thank({ answers, skipped, missing }, isMore) {
  const short = isPaid && skipped > 0 && missing > 0;
  const given = answers || short ? [`You answered ${plural(answers, "question")}${short ? ` and skipped ${skipped}` : ""}.`] : [];
  const rest = isMore ? "There is more to answer now, if you like."
    : answers || short ? "That was everything." : "There are no questions left here.";
  const why = short ? [`To get the completion code you must answer at least as many as you skip: ${plural(missing, "answer")} ${missing === 1 ? "is" : "are"} missing.`] : [];
  const words = [...given, rest, ...why].join(" ");
  if ($("done-text").textContent !== words) $("done-text").textContent = words; // or it would be read out each time
  if (short) $("status").textContent = ""; // which said the same when they skipped
  $("more").hidden = !isMore;
}

export function giveCode({ code, url } = {}) {
  $("completion").hidden = !url && !code;
  $("completion-code-row").hidden = !code;
  $("completion-code").textContent = code ?? "";
  $("completion-link-row").hidden = !url;
  if (url) $("completion-link").href = url;
  $("completion-link").className = "button primary big";
  $("more").after($("completion"));
}

// Who goes on keeps it, below the questions, where nothing big is to be pressed by mistake.
export function keepCode() {
  $("completion-link").className = "";
  $("status").before($("completion"));
}

export async function showRanking(campaign) {
  try {
    const rows = await call("GET", `/campaigns/${campaign}/ranking`);
    $("ranking-list").replaceChildren(...rows.map((row) => make("li", { dir: "auto" }, row.label)));
    $("ranking").hidden = false;
  } catch { /* thanks are enough */ }
}
