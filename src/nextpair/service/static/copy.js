// Buttons that copy a link.
for (const button of document.querySelectorAll("button.copy")) {
  const label = button.firstChild;
  const words = label.textContent;
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(button.dataset.copy);
      label.textContent = "Copied";
    } catch {
      label.textContent = "Select it and copy";
    }
    setTimeout(() => { label.textContent = words; }, 2000);
  });
}
