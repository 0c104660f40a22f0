// Files that would be refused are told of when they are chosen, and not when they were sent for minutes.
const mb = (bytes) => Number((bytes / 1e6).toFixed(1));

export function weigh(choices, { fileMb, bodyMb }) {
  function look({ target }) {
    const all = choices.flatMap(({ files }) => [...files]).reduce((sum, { size }) => sum + size, 0);
    for (const choice of choices) {
      const large = [...choice.files].find(({ size }) => size > 1e6 * fileMb);
      const one = large ? `${large.name} has ${mb(large.size)} MB, but a file may have at most ${mb(1e6 * fileMb)}: choose a smaller one.` : "";
      const many = choice.files.length && all > 1e6 * bodyMb ? `Your files have ${mb(all)} MB together, but at most ${mb(1e6 * bodyMb)} can be sent: choose fewer, or smaller ones.` : "";
      choice.setCustomValidity(one || many);
    }
    target.reportValidity();
  }
  for (const choice of choices) choice.addEventListener("change", look);
}
