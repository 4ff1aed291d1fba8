// Small helpers to build HTML and SVG elements.

import { spokenLanguage, t } from "../language/texts.js";

const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "text") element.textContent = value;
    else if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** An HTML element. Attributes that are null or false are left out; "text" is its text, "onclick" a listener. */
export function html(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

/** An SVG element, as `html`. */
export function svg(name, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, name), attributes, children);
}

/** An icon of the sheet at the start of index.html. */
export function icon(name) {
  return svg("svg", { class: "icon", "aria-hidden": "true" }, svg("use", { href: `#icon-${name}` }));
}

/** Attributes of index.html that name the text of another attribute. */
const TEXT_ATTRIBUTES = { "data-t-label": "aria-label", "data-t-title": "title", "data-t-placeholder": "placeholder" };

/** Fills in the texts of index.html: `data-t` has the key of an element's text, `data-t-label` that of its label. */
export function fillTexts() {
  const root = document.documentElement;
  root.lang = spokenLanguage();
  for (const element of $$("[data-t]")) element.replaceChildren(...marked(t(element.dataset.t)));
  for (const [from, to] of Object.entries(TEXT_ATTRIBUTES)) {
    for (const element of $$(`[${from}]`)) element.setAttribute(to, t(element.getAttribute(from)));
  }
  root.classList.remove("without-texts");
}

/** A text as nodes. It may have <strong> and <kbd>. */
export function marked(text) {
  const parts = text.split(/(<strong>.*?<\/strong>|<kbd>.*?<\/kbd>)/);
  return parts.filter(Boolean).map((part) => {
    const [, name, inner] = /^<(\w+)>(.*)<\/\w+>$/.exec(part) ?? [];
    return name ? html(name, { text: inner }) : part;
  });
}

export function $(selector, root = document) {
  return root.querySelector(selector);
}

export function $$(selector, root = document) {
  return [...root.querySelectorAll(selector)];
}

/** Sets the text of an element if it has another one: live regions are read out again whenever theirs is set. */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Sets an attribute, or removes it if the value is null or false. */
export function setAttribute(element, name, value) {
  if (value === null || value === undefined || value === false) element.removeAttribute(name);
  else element.setAttribute(name, value === true ? "" : value);
}

/** Saves a text or blob as a file, as if a link to it had been clicked. */
export function download(name, content, type) {
  const blob = content instanceof Blob ? content : new Blob([content], { type });
  const url = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
