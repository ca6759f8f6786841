// The colours of the page: those of the device, or light or dark ones chosen in the menu and kept in the browser.
import { byId } from "./dom.js";

const KEY = "perfect-yatzy-colours", MEDIA = { device: "(prefers-color-scheme: dark)", light: "not all", dark: "screen" }; // of dark.css

function stored() {
  try { return localStorage.getItem(KEY); } catch { return null; }
}

function use(theme) {
  byId("dark").media = MEDIA[theme];
  document.documentElement.dataset.theme = theme;
  byId("theme").value = theme;
}

byId("theme").addEventListener("change", (event) => {
  use(event.target.value);
  try { localStorage.setItem(KEY, event.target.value); } catch { /* Without storage they last until the page is closed. */ }
});
use(Object.hasOwn(MEDIA, stored()) ? stored() : "device");
