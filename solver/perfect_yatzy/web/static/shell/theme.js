// The colours of the page: those of the device, or light or dark ones chosen in the menu and kept in the browser.
import { byId } from "../words/dom.js";
import { store, stored } from "../store/storage.js";

const KEY = "perfect-yatzy-colours",
  MEDIA = { device: "(prefers-color-scheme: dark)", light: "not all", dark: "screen" }; // of dark.css

function use(theme) {
  byId("dark").media = MEDIA[theme];
  document.documentElement.dataset.theme = theme;
  byId("theme").value = theme;
}

byId("theme").addEventListener("change", (event) => {
  use(event.target.value);
  store(KEY, event.target.value);
});
use(Object.hasOwn(MEDIA, stored(KEY)) ? stored(KEY) : "device");
