// Controls that several screens have.

import { html } from "./dom.js";

/** A radio button of `segments`. */
export function radio(name, value, text, label = null) {
  return html(
    "label",
    { title: label },
    html("input", { type: "radio", name, value, "aria-label": label }),
    html("span", {}, ...(Array.isArray(text) ? text : [text])),
  );
}

/**
 * A row of radio buttons that looks like one control. `choices` has a value and a text, or a list of text and elements,
 * for each; `onchange` gets the value that was chosen.
 */
export function segments({ name, label, choices, onchange, ...attributes }) {
  return html(
    "div",
    {
      class: "segments",
      role: "radiogroup",
      "aria-label": label,
      onchange: ({ target }) => onchange(target.value),
      ...attributes,
    },
    ...choices.map(([value, text]) => radio(name, value, text)),
  );
}

/** Checks the radio button with this value, if there is one. */
export function checkRadio(root, name, value) {
  for (const input of root.querySelectorAll(`input[name="${name}"]`)) input.checked = input.value === String(value);
}
