// How pages write numbers: shares, counts, money and moments.
export const percent = (share, digits = 1) => `${(100 * share).toFixed(digits)}\u00a0%`;
export const plural = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;
export const money = (amount) => amount === null ? "no limit"
  : `${amount.toLocaleString("en", { minimumFractionDigits: Number.isInteger(amount) ? 0 : 2, maximumFractionDigits: 8 })} ${document.getElementById("dashboard").dataset.currency}`.trim();
// An average has digits without end: cents will do, and three digits of what is less than one.
export const about = (amount) => money(amount < 1 ? Number(amount.toPrecision(3)) : Math.round(100 * amount) / 100);
// A moment where the reader is: the service speaks of seconds since 1970, and its forms of UTC.
export const moment = (seconds) => new Date(1000 * seconds).toLocaleString("en-GB",
  { weekday: "short", day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit", timeZoneName: "short" });
