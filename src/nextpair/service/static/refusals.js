// What an error of the API means to a worker, in words for people.
export const isFinal = ({ status }) => status && status < 500 && status !== 429; // to try again would not help

const REFUSED = {
  question_closed: "That question was already answered, in another window or on another device, or its time was up: this answer was not counted.",
  budget_exhausted: "That answer came too late and was not counted.",
};

const LATE = ["budget_exhausted", "campaign_closed"];
const FAIR = " It counts towards your completion code all the same.";
export function whyNotTaken({ code, message }, isPaid) {
  return (REFUSED[code] ?? `${message}.`.replace(/\.+$/, ".")) + (isPaid && LATE.includes(code) ? FAIR : "");
}

export const isOther = ({ code }) => code === "other_answer";
const OTHER = "That question has another answer by now, given in another window or on another device: that one stays.";
export const whyNotUndone = (error) => (isOther(error) ? OTHER : error.message);

const CLOSED = {
  other_worker: [
    "Somebody else's link was opened here",
    "This browser now answers for them. To continue, open your own link again: your answers are kept.",
  ],
  stale_form: ["Please reload this page", "It is out of date. Your answers are kept."],
};
const SHUT = [
  "This link no longer works",
  "If you think that this is a mistake, ask whoever sent it to you.",
];

export function isShut(error) { return error.status === 401 || error.status === 403 || error.code === "other_worker"; }

// a title and a text
export const whyClosed = (error) => CLOSED[error.code] ?? (isShut(error) ? SHUT : ["That did not work", error.message]);
