// Work that takes long or writes large files starts only after a click that names its time and its size. It shows its
// progress and can be cancelled.
import { ask } from "../store/ask.js";
import { button, element, say } from "../words/dom.js";
import { _, formatNumber, formatPercent, ngettext } from "../words/i18n.js";
import { rules } from "../store/state.js";

const OWN_HOSTS = ["localhost", "127.0.0.1", "[::1]"]; // the server runs on this computer
const GIGABYTE = 1e9,
  MEGABYTE = 1e6;
const SAID_SHARES = [0.25, 0.5, 0.75]; // of the work: more often would be chatter
let controller = null; // of the work that is running

// Stops the work that is running: its answer is not wanted any more.
export function forgetSolve() {
  controller?.abort();
  controller = null;
}

export function timeText(seconds) {
  const rounded = Math.max(1, Math.round(seconds));
  if (rounded < 90)
    return ngettext("{count} second", "{count} seconds", rounded, { count: formatNumber(rounded) });
  const minutes = Math.round(rounded / 60);
  return ngettext("{count} minute", "{count} minutes", minutes, { count: formatNumber(minutes) });
}

export function sizeText(bytes) {
  return bytes >= GIGABYTE / 10
    ? _("{size} GB", { size: formatNumber(bytes / GIGABYTE, 1) })
    : _("{size} MB", { size: formatNumber(Math.max(1, bytes / MEGABYTE)) });
}

// The page of another machine is told whose disk it is, such as on a phone.
export function costText({ seconds, disk_bytes: disk }, host = location.hostname) {
  const fields = { time: timeText(seconds), size: sizeText(disk || 0) };
  if (!disk) return _("Solve now (about {time})", fields);
  return OWN_HOSTS.includes(host)
    ? _("Solve now (about {time}, {size} on the disk of this computer, once)", fields)
    : _(
        "Solve now on the server (about {time}, {size} on its disk, nothing on this device, once)",
        fields,
      );
}

// What has to be computed, and why it takes its time.
export function workText({ what }) {
  return (
    {
      table: _("Advice for these rules has to be computed once, for every card there can be."),
      goals: _("The chances of all goals have to be computed once, for every card there can be."),
      objective: _("The chance from this card on has to be computed first."),
      opponents: _("What the opponents can still score has to be computed first."),
      distribution: _("The chance of every final score has to be computed first."),
    }[what] || _("The answer has to be computed first.")
  );
}

// A button that starts the work for a question; `onDone` asks the question again. While one runs, the others are hidden.
export function solveBox(cost, query, body, onDone) {
  const box = element("div", { class: "solve", "aria-live": "off" });
  const offer = (text) => {
    box.classList.remove("running");
    box.replaceChildren(
      ...(text ? [element("p", { class: "error" }, text)] : []),
      button(costText(cost), run, { class: "primary" }),
    );
    say(text);
  };
  async function run() {
    const bar = element("progress", { max: 1, "aria-label": _("Progress") }),
      left = element("span", { class: "hint" }, _("Working …"));
    controller = new AbortController();
    const own = controller,
      cancel = button(_("Cancel"), () => {
        own.abort();
        offer("");
        box.querySelector("button").focus();
      });
    box.classList.add("running");
    box.replaceChildren(bar, left, cancel);
    cancel.focus();
    say(_("Working …"));
    const shares = [...SAID_SHARES];
    const onProgress = ({ done, seconds_left: seconds }) => {
      bar.value = done;
      if (done >= shares[0]) {
        while (done >= shares[0]) shares.shift();
        say(_("{share} done.", { share: formatPercent(done, 0) }));
      }
      if (seconds !== undefined && seconds !== null)
        left.textContent = _("{time} left", { time: timeText(seconds) });
    };
    try {
      await ask("solve", { query, ...body }, { signal: own.signal, onProgress });
      rules().solved = true;
      say(_("Done."));
      if (!own.signal.aborted) onDone();
    } catch (error) {
      if (!own.signal.aborted) offer(error.message);
    }
  }
  offer("");
  return box;
}
