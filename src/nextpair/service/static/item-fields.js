// The fields in which an organiser writes what an item shows: its words, and a picture by its address or as a file.
import { call, make } from "./api.js";
import { weigh } from "./files.js";

const KINDS = { text: "plain text", markdown: "Markdown", image: "a picture" };
const FORMS = "image/png,image/jpeg,image/gif,image/webp";

export class ItemFields {
  constructor(prefix, label, limits) {
    const id = (name) => `${prefix}-${name}`;
    this.text = make("textarea", { id: id("text"), rows: "4", dir: "auto" });
    this.kind = make("select", { id: id("kind") }, ...Object.entries(KINDS).map(([value, words]) => make("option", { value }, words)));
    this.image = make("input", { id: id("image") });
    this.file = make("input", { id: id("file"), type: "file", accept: FORMS, "aria-describedby": id("file-hint") });
    this.picture = make("div", { class: "stack" }, make("label", { for: this.image.id }, "Address of the picture, if it has one"), this.image,
      make("label", { for: this.file.id }, "…or upload it"), this.file,
      make("p", { class: "hint", id: id("file-hint") }, `PNG, JPEG, GIF or WebP, up to ${limits.fileMb} MB. A picture is shown alone, and its text is for screen readers and your tables; if that is Markdown, it stands below the picture.`));
    this.nodes = [make("label", { for: this.text.id }, label), this.text, make("label", { for: this.kind.id }, "It is"), this.kind, this.picture];
    this.kind.addEventListener("change", () => this.show());
    weigh([this.file], limits);
  }

  show() {
    this.picture.hidden = this.kind.value === "text"; // Markdown may have a picture above it
    this.file.disabled = this.picture.hidden; // nobody is kept from going on by what they do not see
  }

  get isWritten() { return this.text.value.trim() + this.image.value.trim() !== "" || this.file.files.length > 0; }

  get value() {
    return { text: this.text.value, kind: this.kind.value, image: this.image.value.trim(), file: this.file.files[0] ?? null };
  }

  set value({ text, kind, image, file }) {
    [this.text.value, this.kind.value, this.image.value] = [text, kind, image ?? ""];
    const files = new DataTransfer();
    if (file) files.items.add(file);
    this.file.files = files.files;
    this.show();
  }
}

// What the API takes. A picture goes there first, and once, though the item may have to be sent again.
const sent = new WeakMap();
export async function asSent({ text, kind, image, file }) {
  if (kind === "text" || !(file || image)) return { text, kind };
  if (!file) return { text, kind, image };
  if (!sent.has(file)) {
    const form = new FormData();
    form.append("file", file);
    sent.set(file, (await call("POST", "/media", form)).image);
  }
  const [words, shows] = text.trim() ? [text, kind] : [file.name.replace(/\.[^.]*$/, ""), "image"]; // as in the form of a new campaign
  return { text: words, kind: shows, image: sent.get(file) };
}
