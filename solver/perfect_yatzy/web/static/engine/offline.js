// Keeps the page and the data of the game in the browser, so that the next visit needs no network.
import { ask } from "./client.js";

const KEEP_AFTER_MS = 500; // after the first questions

async function start() {
  if (!("serviceWorker" in navigator) || !window.isSecureContext) return; // plain http, except on this machine
  const { serviceWorker } = navigator,
    hadVersion = Boolean(serviceWorker.controller);
  const registration = await serviceWorker.register(new URL("../sw.js", import.meta.url), {
    updateViaCache: "none",
  });
  if (!hadVersion) return; // the first visit has the newest version
  // Another page may have asked for the new version: no page goes on with files of both.
  serviceWorker.addEventListener("controllerchange", () => location.reload(), { once: true });
  const watch = () =>
    registration.installing?.addEventListener("statechange", () => offerUpdate(registration));
  registration.addEventListener("updatefound", watch);
  watch(); // an update may have begun before
  offerUpdate(registration);
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) registration.update().catch(() => {});
  });
}

// A new version that is kept already waits for the reader: the page says so and loads it when asked.
function offerUpdate(registration) {
  const { waiting } = registration;
  if (!waiting) return;
  document.getElementById("reload").onclick = () => waiting.postMessage("take over");
  document.getElementById("update").hidden = false;
}

// The small files that later questions need; the table itself is kept when it is first read.
async function keep() {
  const rules = new URLSearchParams(location.hash.slice(1)).get("rules") ?? undefined;
  await ask("keep", rules ? { rules: rules.trim().replaceAll(" ", "+") } : {});
  document.documentElement.dataset.offline = "ready"; // for tests
}

// Not earlier: the table of the game comes first where the network is slow, then its other files, then the page once more.
addEventListener("load", () =>
  setTimeout(async () => {
    await keep().catch(() => {}); // without it the page works, but not offline
    await start().catch(() => {});
  }, KEEP_AFTER_MS),
);

// Browsers that can install the page say so; the menu offers it.
addEventListener("beforeinstallprompt", (event) => {
  const install = document.getElementById("install");
  event.preventDefault();
  install.hidden = false;
  install.onclick = () => event.prompt();
});
addEventListener("appinstalled", () => {
  document.getElementById("install").hidden = true;
});
