// What a worker reads: the server puts the words of the campaign's language into the page, and no script has any of its own.
const phrases = JSON.parse(document.getElementById("phrases").textContent);
const { lang } = document.documentElement;
const plurals = new Intl.PluralRules(lang);
const digits = new Intl.NumberFormat(lang);

// Filled in. Where the words depend on a number, that is the `count`.
export function phrase(key, values = {}) {
  const found = phrases[key];
  const words = typeof found === "string" ? found : found[plurals.select(values.count)] ?? found.other;
  return words.replace(/\{(\w+)\}/g, (_, name) => typeof values[name] === "number" ? digits.format(values[name]) : values[name]);
}

// What an error means, by the first of these kinds that has words for its code; or else what the server says, in English.
export function because(error, ...kinds) {
  const key = kinds.map((kind) => `${kind}.${error.code}`).find((name) => name in phrases);
  return key ? phrase(key) : error.message;
}
