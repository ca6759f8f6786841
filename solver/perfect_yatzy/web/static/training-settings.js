// What training remembers: whether the advice is hidden, from which loss on the page warns, and the choices of this session.
import { GRADES } from "./grades.js";

const SETTINGS = "perfect-yatzy-training-1", SESSION = "perfect-yatzy-session-1";
export const THRESHOLDS = [0, 0.5, 1, 2, 5]; // points, or per cent of a chance; 0 never warns
const DEFAULTS = { isHidden: false, threshold: 2 };

function read(storage, key) {
  try { return JSON.parse(window[storage].getItem(key)); } catch { return null; }
}

function write(storage, key, value) {
  try { window[storage].setItem(key, JSON.stringify(value)); } catch { /* Without storage it lasts until the page is closed. */ }
}

const settings = { ...DEFAULTS, ...read("localStorage", SETTINGS) };
if (!THRESHOLDS.includes(settings.threshold)) settings.threshold = DEFAULTS.threshold;
const emptySession = () => ({ count: 0, lost: 0, grades: Object.fromEntries(GRADES.map((grade) => [grade, 0])) });
let session = read("sessionStorage", SESSION) || emptySession();

export const isAdviceHidden = () => settings.isHidden;
export const threshold = () => settings.threshold;

export function setSettings(changed) {
  Object.assign(settings, changed);
  write("localStorage", SETTINGS, settings);
}

export const sessionCounts = () => session;

export function countChoice(grade, loss) {
  session.count += 1;
  session.lost += loss;
  session.grades[grade] += 1;
  write("sessionStorage", SESSION, session);
}

export function resetSession() {
  session = emptySession();
  write("sessionStorage", SESSION, session);
}
