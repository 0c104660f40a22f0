// What a worker reads who has answered all that there is for them.
import { call, make } from "./api.js";
import { phrase } from "./language.js";

const $ = (id) => document.getElementById(id);

// Who is paid by a code is told what is missing for it, while they answer and in the end.
export const isPaid = document.getElementById("work").dataset.completion;

export function saved(choice, { answers, skipped, missing }) {
  if (choice !== "skip" || !isPaid || !missing || !$("completion").hidden) return phrase("saved");
  return phrase("skipped", { skipped, answers, cannot_tell: phrase("cannot_tell") });
}

export function thank({ answers, skipped, missing }, isMore) {
  const short = isPaid && skipped > 0 && missing > 0;
  const given = short ? [phrase("thanks.answered_and_skipped", { count: answers, skipped })]
    : answers ? [phrase("thanks.answered", { count: answers })] : [];
  const rest = phrase(isMore ? "thanks.more" : given.length ? "thanks.all" : "thanks.nothing");
  const why = short ? [phrase("thanks.missing", { count: missing })] : [];
  const words = [...given, rest, ...why].join(phrase("between_sentences"));
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
