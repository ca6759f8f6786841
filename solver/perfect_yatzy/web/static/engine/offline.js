// Keeps the page and the data of the game in the browser, so that the next visit needs no network.
import { ask } from "./client.js";

const KEEP_AFTER_MS = 3000; // when the first answers are there

async function start() {
  if (!("serviceWorker" in navigator) || !window.isSecureContext) return; // plain http, except on this machine
  await navigator.serviceWorker.register(new URL("../sw.js", import.meta.url), { updateViaCache: "none" });
}

// The small files that later questions need; the table itself is kept when it is first read.
async function keep() {
  const rules = new URLSearchParams(location.hash.slice(1)).get("rules") ?? undefined;
  await ask("keep", rules ? { rules: rules.trim().replaceAll(" ", "+") } : {});
  document.documentElement.dataset.offline = "ready"; // for tests
}

// Not earlier: the page and its table come first where the network is slow.
addEventListener("load", () => setTimeout(() => {
  start().catch(() => {}); // without it the page works, but not offline
  keep().catch(() => {});
}, KEEP_AFTER_MS));

// Browsers that can install the page say so; the menu offers it.
addEventListener("beforeinstallprompt", (event) => {
  const install = document.getElementById("install");
  event.preventDefault();
  install.hidden = false;
  install.onclick = () => event.prompt();
});
addEventListener("appinstalled", () => { document.getElementById("install").hidden = true; });
