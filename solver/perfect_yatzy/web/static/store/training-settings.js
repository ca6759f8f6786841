// What training remembers: whether the advice is hidden, from which loss on the page warns, and the choices of this session.
import { GRADES } from "../words/grades.js";
import { store, stored } from "./storage.js";

const SETTINGS = "perfect-yatzy-training-1",
  SESSION = "perfect-yatzy-session-1";
export const THRESHOLDS = [0, 0.5, 1, 2, 5]; // points, or per cent of a chance; 0 never warns
const DEFAULTS = { isHidden: false, threshold: 2 };

const settings = { ...DEFAULTS, ...stored(SETTINGS) };
if (!THRESHOLDS.includes(settings.threshold)) settings.threshold = DEFAULTS.threshold;
const emptySession = () => ({
  count: 0,
  lost: 0,
  grades: Object.fromEntries(GRADES.map((grade) => [grade, 0])),
});
let session = stored(SESSION, "sessionStorage") || emptySession();

export const isAdviceHidden = () => settings.isHidden;
export const threshold = () => settings.threshold;

export function setSettings(changed) {
  Object.assign(settings, changed);
  store(SETTINGS, settings);
}

export const sessionCounts = () => session;

export function countChoice(grade, loss) {
  session.count += 1;
  session.lost += loss;
  session.grades[grade] += 1;
  store(SESSION, session, "sessionStorage");
}

export function resetSession() {
  session = emptySession();
  store(SESSION, session, "sessionStorage");
}
