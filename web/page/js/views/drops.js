// Records of games that are dropped on the page, as files or as text.

/** Passes what is dropped to `reader` (with readFiles and readText), and shows `hint` while something is dragged. */
export function listenToDrops(hint, reader) {
  // A text that is dragged from the page itself, or into a field, is the browser's.
  let isOwn = false;
  addEventListener("dragstart", () => (isOwn = true));
  // The second event comes after the first, which is lost if what was dragged is gone.
  for (const end of ["dragend", "pointermove"]) addEventListener(end, () => (isOwn = false));
  const isReadable = ({ dataTransfer, target }) => {
    const types = dataTransfer?.types ?? [];
    return types.includes("Files") || (types.includes("text/plain") && !isOwn && !target.closest?.("input, textarea"));
  };
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
