// Talking to the API from a page: the cookie says who we are, the form token that the page is ours.
const formToken = (page) => page.querySelector("meta[name=csrf]")?.content;
const headers = { Accept: "application/json", "X-CSRF-Token": formToken(document) };

// A worker's page says whom it is for: this browser may have opened another's link since, or be the organiser's as well.
export function speakAs(worker) { headers["X-Worker"] = encodeURIComponent(worker); }

// Where the wifi drops, a request may wait for minutes for an answer that never comes: after this time it is given up. Who
// sends it again does no harm. An organiser's may take long, with very many answers; a worker is waiting for the next pair.
const PATIENCE_MS = { worker: 15_000, organiser: 60_000 };
function patience() {
  const giveUp = new AbortController();
  setTimeout(() => giveUp.abort(), "X-Worker" in headers ? PATIENCE_MS.worker : PATIENCE_MS.organiser);
  return giveUp.signal;
}

// The form token is bound to who is signed in here: after a change of that in another tab, this page needs a new one.
// Also where the page was found: who is signed out is led to another one.
export async function formTokenAt(page) {
  const response = await fetch(page, { headers: { Accept: "text/html" }, signal: patience() });
  const { pathname: at } = new URL(response.url);
  const token = formToken(new DOMParser().parseFromString(await response.text(), "text/html"));
  if (response.status >= 500) throw new Error("the server cannot tell just now");
  return { at, token };
}

export class Refused extends Error {
  constructor(status, code, message) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

// The body is a form with a file in it, or else JSON.
export async function call(method, path, body, again = true) {
  const options = { method, headers: { ...headers }, signal: patience() };
  if (body instanceof FormData) options.body = body;
  else if (body !== undefined) {
    options.headers["Content-Type"] = "application/json";
    options.body = JSON.stringify(body);
  }
  const response = await fetch(`/api/v1${path}`, options);
  if (response.status === 204) return null;
  const data = await response.json();
  if (data.error?.code === "stale_form" && again) {
    headers["X-CSRF-Token"] = (await formTokenAt(location.href)).token;
    return call(method, path, body, false);
  }
  if (!response.ok) throw new Refused(response.status, data.error.code, data.error.message);
  return data;
}

// An element with attributes and children; text is always text, never HTML.
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

export function draw(tag, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

// What is told to who is signed out while something that they wrote is on the page, which therefore stays.
export const signedOut = () => ["You were signed out. What you wrote is still here: ",
  make("a", { href: "/signin", target: "_blank" }, "sign in in a new window"), ", come back, and send it again."];
