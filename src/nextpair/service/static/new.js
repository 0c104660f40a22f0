// The new-campaign form: count the items, and what the budget buys; the end time where the organiser is.
import { call } from "./api.js";
import { weigh } from "./files.js";
import { moment, plural } from "./words.js";

const items = document.getElementById("items");
const count = document.getElementById("item-count");
const amount = (id) => Number(document.getElementById(id).value.replace(",", "."));

function tell() {
  const n = items.value.split("\n").filter((line) => line.trim()).length;
  const answers = Math.floor(amount("budget") / amount("price") + 1e-9); // 0.7 at 0.1 each are seven
  const bought = Number.isFinite(answers) && answers >= 0 ? `The budget buys ${answers ? plural(answers, "answer") : "no answer"}` : "";
  const each = n > 1 && answers > 0 ? `, about ${((2 * answers) / n).toFixed(1)} looks at each item.` : bought && ".";
  const brings = n >= FEWEST && answers > 0 && !document.getElementById("best").value.trim() ? outlook(answers / n) : "";
  count.textContent = [n ? `${plural(n, "item")}.` : "", bought + each, brings].join(" ").trim();
}
// What so many answers an item bring, by how far apart the items are: nobody knows that yet.
const FEWEST = 5; // items of which something can be said beforehand
const known = [[0, 0.5, 0.5], ...JSON.parse(document.getElementById("new").dataset.beforehand)];
function outlook(each) {
  const at = Math.min(each, known.at(-1)[0]);
  const after = known.findIndex(([answers]) => answers >= at);
  const [from, to] = [known[after - 1], known[after]];
  const share = (at - from[0]) / (to[0] - from[0]);
  const [low, high] = [1, 2].map((end) => Math.round(100 * (from[end] + share * (to[end] - from[end]))));
  return `Expect ${low} to ${high}\u00a0% of all pairs in the right order${at < each ? ", or more" : ""}: the farther apart the items, the more.`;
}
for (const id of ["items", "budget", "price", "best"]) document.getElementById(id).addEventListener("input", tell);

const end = document.getElementById("ends_at");
function tellEnd() {
  const seconds = Date.parse(`${end.value}Z`) / 1000; // NaN where nothing is written
  document.getElementById("ends_at_hint").textContent = seconds ? `In your time zone: ${moment(seconds)}.` : "";
}
end.addEventListener("input", tellEnd);
weigh([...document.querySelectorAll("#new input[type=file]")], document.getElementById("new").dataset);

// How the file of items is read: whether its first row is an item or the names of columns must be no surprise.
const table = document.getElementById("items_file");
const told = document.getElementById("items_file_told");
async function tellTable() {
  const [file] = table.files;
  const body = new FormData();
  body.append("file", file ?? "");
  let words = "";
  try {
    if (file && !table.validationMessage) words = (await call("POST", "/items/reading", body)).told;
  } catch (error) {
    if (error.status === 422) words = error.message; // all else is told when the form is sent
  }
  if (file === table.files[0]) told.textContent = words; // or another was chosen meanwhile
}
table.addEventListener("change", tellTable);

addEventListener("pageshow", () => { tell(); tellEnd(); tellTable(); }); // what was written is there again after a way back, but not at once
