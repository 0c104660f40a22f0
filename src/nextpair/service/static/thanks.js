// What a worker reads who has answered all that there is for them.
import { call, make } from "./api.js";

const $ = (id) => document.getElementById(id);

export function thank({ answers }, isMore) {
  const given = answers ? [`You answered ${answers} ${answers === 1 ? "question" : "questions"}.`] : [];
  const rest = isMore ? "There is more to answer now, if you like."
    : answers ? "That is all there is for you." : "There is nothing to answer here any more.";
  const words = [...given, rest].join(" ");
  if ($("done-text").textContent !== words) $("done-text").textContent = words; // or it would be read out each time
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
