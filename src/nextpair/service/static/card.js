// The whole card is a target for the mouse and the thumb; links inside it stay what they are. Who selects words, by drawing over
// them or by a double click, chooses nothing by it; words that were selected before are in nobody's way.
const DRAWN = 5; // pixels

export function onPress(card, choose) {
  let from = null;
  card.addEventListener("pointerdown", (event) => { from = event; });
  card.addEventListener("click", (event) => {
    const drawn = from && Math.hypot(event.clientX - from.clientX, event.clientY - from.clientY) > DRAWN;
    const selects = (drawn || event.detail > 1) && String(getSelection());
    if (!selects && !event.target.closest("a")) choose();
  });
}
