// Pages that show a link or a token: buttons to copy them.
async function copy(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  // in a wifi of our own, without https, browsers know the old way only
  const area = document.createElement("textarea");
  area.value = text;
  area.className = "sr";
  document.body.append(area);
  area.select();
  const copied = document.execCommand("copy");
  area.remove();
  if (!copied) throw new Error("not copied");
}

for (const button of document.querySelectorAll("button.copy")) {
  const label = button.firstChild;
  const words = label.textContent;
  button.addEventListener("click", async () => {
    try {
      await copy(button.dataset.copy);
      label.textContent = "Copied";
      button.focus();
    } catch {
      label.textContent = "Select it and copy";
    }
    setTimeout(() => { label.textContent = words; }, 2000);
  });
  button.disabled = false; // until now nobody would have heard a click
}
