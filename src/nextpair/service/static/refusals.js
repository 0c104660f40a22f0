// What an error of the API means to a worker, in words for people.
import { because, phrase } from "./language.js";

export const isFinal = ({ status }) => status && status < 500 && status !== 429; // to try again would not help

const LATE = ["budget_exhausted", "campaign_closed"];
export function whyNotTaken(error, isPaid) {
  const fair = isPaid && LATE.includes(error.code) ? [phrase("late_but_fair")] : [];
  return [because(error, "not_taken", "error"), ...fair].join(phrase("between_sentences"));
}

export const isOther = ({ code }) => code === "other_answer";
export const whyNotUndone = (error) => because(error, "not_undone", "error");

const CLOSED = ["other_worker", "stale_form"];

export function isShut(error) { return error.status === 401 || error.status === 403 || error.code === "other_worker"; }

// a title and a text
export function whyClosed(error) {
  const kind = CLOSED.includes(error.code) ? error.code : isShut(error) ? "shut" : null;
  return kind ? [phrase(`closed.${kind}.title`), phrase(`closed.${kind}.text`)] : [phrase("error.title"), because(error, "error")];
}
