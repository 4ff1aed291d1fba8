// The languages of the page, and which one to speak.

/** Each by its own name, as people look for it. */
export const LANGUAGES = {
  en: "English",
  de: "Deutsch",
  es: "Español",
  fr: "Français",
  nl: "Nederlands",
  pl: "Polski",
};

/** The language to speak: the one that was chosen, else the first of the browser's that the page knows, else English. */
export function languageFor(choice, wanted) {
  if (Object.hasOwn(LANGUAGES, choice)) return choice;
  const known = wanted.map((tag) => tag.toLowerCase().split("-")[0]);
  return known.find((code) => Object.hasOwn(LANGUAGES, code)) ?? "en";
}
