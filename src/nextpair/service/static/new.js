// The new-campaign form: count the items, and what the budget buys.
const items = document.getElementById("items");
const count = document.getElementById("item-count");
const plural = (many, word) => `${many} ${word}${many === 1 ? "" : "s"}`;
const amount = (id) => Number(document.getElementById(id).value.replace(",", "."));

function tell() {
  const n = items.value.split("\n").filter((line) => line.trim()).length;
  const answers = Math.floor(amount("budget") / amount("price"));
  const bought = Number.isFinite(answers) && answers > 0 ? `The budget buys ${plural(answers, "answer")}` : "";
  const each = n > 1 && bought ? `, about ${((2 * answers) / n).toFixed(1)} looks at each item.` : bought && ".";
  count.textContent = [n ? `${plural(n, "item")}.` : "", bought + each].join(" ").trim();
}
for (const id of ["items", "budget", "price"]) document.getElementById(id).addEventListener("input", tell);
addEventListener("pageshow", tell); // what was written is there again after a way back, but not at once
