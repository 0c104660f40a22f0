// The new-campaign form: count the items, and what the budget buys; the end time where the organiser is.
import { moment, plural } from "./words.js";

const items = document.getElementById("items");
const count = document.getElementById("item-count");
const amount = (id) => Number(document.getElementById(id).value.replace(",", "."));

function tell() {
  const n = items.value.split("\n").filter((line) => line.trim()).length;
  const answers = Math.floor(amount("budget") / amount("price") + 1e-9); // 0.7 at 0.1 each are seven
  const bought = Number.isFinite(answers) && answers >= 0 ? `The budget buys ${answers ? plural(answers, "answer") : "no answer"}` : "";
  const each = n > 1 && answers > 0 ? `, about ${((2 * answers) / n).toFixed(1)} looks at each item.` : bought && ".";
  count.textContent = [n ? `${plural(n, "item")}.` : "", bought + each].join(" ").trim();
}
for (const id of ["items", "budget", "price"]) document.getElementById(id).addEventListener("input", tell);

const end = document.getElementById("ends_at");
function tellEnd() {
  const seconds = Date.parse(`${end.value}Z`) / 1000; // NaN where nothing is written
  document.getElementById("ends_at_hint").textContent = seconds ? `Where you are: ${moment(seconds)}.` : "";
}
end.addEventListener("input", tellEnd);
addEventListener("pageshow", () => { tell(); tellEnd(); }); // what was written is there again after a way back, but not at once
