// Records of games that are dropped on the page, as files or as text.

/** Passes what is dropped to `reader` (with readFiles and readText), and shows `hint` while something is dragged. */
export function listenToDrops(hint, reader) {
  // What is dragged from the page itself, or into a field, is the browser's.
  let isOwn = false;
  addEventListener("dragstart", () => (isOwn = true));
  addEventListener("dragend", () => (isOwn = false));
  const isReadable = ({ dataTransfer, target }) =>
    !isOwn &&
    !target.closest?.("input, textarea") &&
    ["Files", "text/plain"].some((type) => dataTransfer?.types.includes(type));
  addEventListener("dragover", (event) => {
    if (!isReadable(event)) return;
    event.preventDefault();
    hint.hidden = false;
  });
  addEventListener("dragleave", (event) => {
    if (!event.relatedTarget) hint.hidden = true;
  });
  addEventListener("drop", (event) => {
    hint.hidden = true;
    if (!isReadable(event)) return;
    event.preventDefault();
    const files = [...event.dataTransfer.files];
    if (files.length) reader.readFiles(files);
    else reader.readText(event.dataTransfer.getData("text/plain"));
  });
}
