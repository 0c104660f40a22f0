// What an error of the API means to a worker, in words for people.
export const isFinal = ({ status }) => status && status < 500 && status !== 429; // to try again would not help

const REFUSED = {
  question_closed: "That one was settled already, in another window or on another device, or came too late: this answer was not taken.",
  budget_exhausted: "That one came too late and was not counted.",
};

export const whyNotTaken = (error) => REFUSED[error.code] ?? error.message;

const CLOSED = {
  other_worker: [
    "Another person's link was opened here",
    "This browser answers for them now. To go on, open your own link again: what you answered here is kept.",
  ],
  stale_form: ["Please reload this page", "It is too old to go on with. What you answered here is kept."],
};
const SHUT = [
  "This link is closed",
  "It does not let anybody in any more. If you think that this is a mistake, ask whoever sent it.",
];

export function isShut(error) { return error.status === 401 || error.status === 403 || error.code === "other_worker"; }

// a title and a text
export const whyClosed = (error) => CLOSED[error.code] ?? (isShut(error) ? SHUT : ["That did not work", error.message]);
