// The words of the page in the language of the reader, and numbers as that language writes them.
// An English sentence is the key of its translation: `_("Hold {dice}", { dice })`. The messages of a language are
// `messages/CODE.json`, made from the catalogues in perfect_yatzy/locale by `make messages`.
// A module that imports this one waits until the messages of the first language are loaded.

export const LANGUAGES = {
  en: "English",
  da: "Dansk",
  de: "Deutsch",
  fi: "Suomi",
  ja: "日本語",
  ko: "한국어",
  nb: "Norsk bokmål",
  sv: "Svenska",
};
const ENGLISH = "en",
  STORAGE_KEY = "perfect-yatzy-language",
  MAX_WAIT_MS = 5000,
  MAX_LISTED = 8, // numbers in a message
  MYRIADS = ["ja", "ko"]; // languages that count in ten thousands

export let language = ENGLISH;
let messages = {}; // msgid -> text, or its forms: [singular, plural], or one for all numbers
let plurals = new Intl.PluralRules(ENGLISH);
const formats = new Map(); // number of decimals -> Intl.NumberFormat of the language

// The code of a language from its tag: "sv-FI" is sv, "no" and "nn" are nb; null if it is not one of LANGUAGES.
export function languageFrom(tag) {
  const code = String(tag || "")
    .toLowerCase()
    .split(/[-_.]/)[0];
  const known = { no: "nb", nn: "nb" }[code] || code;
  return Object.hasOwn(LANGUAGES, known) ? known : null;
}

const filled = (text, fields) =>
  text.replace(/\{(\w+)\}/g, (field, name) => (fields && name in fields ? fields[name] : field));

// A sentence in the language of the reader; `fields` replace the names in braces.
export function _(message, fields) {
  const found = messages[message];
  return filled(Array.isArray(found) ? found[0] : found || message, fields); // a text with a plural has both forms
}

// A sentence that depends on a number: `ngettext("{count} die", "{count} dice", n, { count: n })`.
export function ngettext(singular, plural, number, fields) {
  const found = messages[singular],
    isOne = plurals.select(number) === "one";
  return filled(
    Array.isArray(found) ? found.at(isOne ? 0 : -1) : isOne ? singular : plural,
    fields,
  );
}

// A message of the server or of the command as a sentence.
export const sentence = (text) =>
  text &&
  text[0].toUpperCase() +
    text.slice(1) +
    (/[.!?。]$/.test(text) ? "" : language === "ja" ? "。" : ".");

// Ascending numbers from 0 as text, as the command writes them (game/card_checks.py).
export function summarized(values) {
  if (values.length <= MAX_LISTED) return values.join(", ");
  const [, low, second] = values,
    step = second - low,
    high = values.at(-1);
  if (values.every((value, i) => !i || value === low + step * (i - 1)))
    return step > 1
      ? _("0 or {low} to {high} in steps of {step}", { low, high, step })
      : _("0 or {low} to {high}", { low, high });
  return _("{values}, ... up to {high}", { values: values.slice(0, 4).join(", "), high });
}

// A number with a fixed number of decimals and the decimal sign of the language; never "-0".
export function formatNumber(value, decimals = 0) {
  if (!formats.has(decimals)) {
    const digits = {
      minimumFractionDigits: decimals,
      maximumFractionDigits: decimals,
      signDisplay: "negative",
      useGrouping: "min2",
    };
    formats.set(decimals, new Intl.NumberFormat(language, digits));
  }
  return formats.get(decimals).format(value);
}

// A chance between 0 and 1 in per cent, a tiny one as "1 in 277 trillion" where decimals are shown. One that only rounds
// to 0 or 1 does not look impossible or certain.
export function formatPercent(chance, decimals = 2) {
  const least = 10 ** -decimals / 2,
    unit = "\u00a0%";
  if (decimals && chance > 0 && chance < 5e-7)
    return _("1 in {number}", { number: largeNumber(1 / chance) });
  const percent = chance > 1 - 1e-9 ? 100 : 100 * chance; // computed chances that are certain
  if (percent > 0 && percent < least) return "<" + formatNumber(2 * least, decimals) + unit;
  if (percent < 100 && percent > 100 - least)
    return ">" + formatNumber(100 - 2 * least, decimals) + unit;
  return formatNumber(percent, decimals) + unit;
}

// A number of at least a million with three digits and a word, as in Python.
function largeNumber(number) {
  if (MYRIADS.includes(language) && number < 9.995e17) {
    const digits = { notation: "compact", maximumSignificantDigits: 3 };
    return new Intl.NumberFormat(language, digits).format(number);
  }
  let [digits, exponent] = number.toExponential(2).split("e").map(Number);
  const power = exponent < 18 ? exponent - (exponent % 3) : exponent;
  digits = Number((digits * 10 ** (exponent - power)).toPrecision(3));
  const text = formatNumber(digits, (String(digits).split(".")[1] || "").length),
    fields = { number: text };
  const count = text === "1" ? 1 : 2; // of the word
  if (power === 6) return ngettext("{number} million", "{number} million", count, fields);
  if (power === 9) return ngettext("{number} billion", "{number} billion", count, fields);
  if (power === 12) return ngettext("{number} trillion", "{number} trillion", count, fields);
  if (power === 15) return ngettext("{number} quadrillion", "{number} quadrillion", count, fields);
  return `${text} × 10^${power}`;
}

// Attributes with words, each after the name of its mark.
const ATTRIBUTES = [
  ["label", "aria-label"],
  ["placeholder", "placeholder"],
];

// Translates the words that index.html marks: `data-message` the text of an element, `data-message-label` its `aria-label`. The
// English text is kept in the mark.
function translateStaticWords() {
  for (const node of document.querySelectorAll("[data-message]")) {
    node.dataset.message ||= node.textContent.trim().replace(/\s+/g, " ");
    node.textContent = _(node.dataset.message); // marked elsewhere
  }
  for (const [name, attribute] of ATTRIBUTES) {
    const mark = `data-message-${name}`;
    for (const node of document.querySelectorAll(`[${mark}]`)) {
      const text = node.getAttribute(mark) || node.getAttribute(attribute);
      node.setAttribute(mark, text);
      node.setAttribute(attribute, _(text)); // marked elsewhere
    }
  }
}

async function load(code) {
  if (code === ENGLISH) return {};
  const response = await fetch(`messages/${code}.json`, {
    signal: AbortSignal.timeout(MAX_WAIT_MS),
  });
  if (!response.ok) throw new Error(`messages/${code}.json: status ${response.status}`);
  return (await response.json()).messages;
}

async function use(code) {
  messages = await load(code);
  language = code;
  plurals = new Intl.PluralRules(code);
  formats.clear();
  document.documentElement.lang = code;
  translateStaticWords();
}

// Changes the language of the page and remembers it. The caller draws again what scripts have written.
export async function setLanguage(code) {
  await use(languageFrom(code) || ENGLISH);
  try {
    localStorage.setItem(STORAGE_KEY, language);
  } catch {
    /* The next visit takes the language of the browser. */
  }
}

// `?lang=sv` in the address, else the language chosen before, else the first one of the browser that is known.
function firstLanguage() {
  let stored = null;
  try {
    stored = localStorage.getItem(STORAGE_KEY);
  } catch {
    /* as in setLanguage() */
  }
  const wanted = [
    new URLSearchParams(location.search).get("lang"),
    stored,
    ...(navigator.languages || []),
  ];
  return wanted.map(languageFrom).find(Boolean) || ENGLISH;
}

try {
  await use(firstLanguage());
} catch {
  /* Without its messages the page is in English. */
}
