// Keeps the page for times without a network. `yatzy site` writes two lines before this text: VERSION, and FILES with
// the hash of each file of the page. Tables are kept by the engine (files.js), which asks for few of them.
const PREFIX = "perfect-yatzy-page-",
  CACHE = PREFIX + VERSION;
const urlOf = (file) => new URL(file, self.registration.scope).href;

async function hashOf(bytes) {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

// A file as this version has it: from an older version's cache if it has not changed, else from the network.
async function load(file, hash) {
  for (const options of [null, { cache: "default" }, { cache: "reload" }]) {
    const response = options ? await fetch(urlOf(file), options) : await caches.match(urlOf(file));
    if (!response?.ok) continue;
    const bytes = await response.arrayBuffer();
    if ((await hashOf(bytes)) === hash)
      return new Response(bytes, {
        headers: { "content-type": response.headers.get("content-type") ?? "" },
      });
  }
  throw new Error(`${file} is not that of version ${VERSION}`); // the site is being updated: the next visit tries again
}

self.addEventListener("install", (event) => {
  event.waitUntil(
    (async () => {
      const cache = await caches.open(CACHE);
      await Promise.all(
        Object.entries(FILES).map(async ([file, hash]) =>
          cache.put(urlOf(file), await load(file, hash)),
        ),
      );
    })(),
  );
});

// A new version waits here until no page uses the old one, or a reader asks for it: then the pages are loaded again, so
// that a page never has files of both.
self.addEventListener("message", (event) => {
  if (event.data === "take over") self.skipWaiting();
});

self.addEventListener("activate", (event) => {
  event.waitUntil(
    (async () => {
      for (const name of await caches.keys())
        if (name.startsWith(PREFIX) && name !== CACHE) await caches.delete(name);
      await self.clients.claim();
    })(),
  );
});

self.addEventListener("fetch", (event) => {
  const { request } = event,
    scope = self.registration.scope,
    url = new URL(request.url);
  if (request.method !== "GET" || !url.href.startsWith(scope)) return;
  const file =
    url.origin + url.pathname === scope
      ? "index.html"
      : decodeURIComponent((url.origin + url.pathname).slice(scope.length));
  if (!Object.hasOwn(FILES, file)) return; // data, and site.json
  event.respondWith(
    caches
      .open(CACHE)
      .then((cache) => cache.match(urlOf(file)))
      .then((kept) => kept ?? fetch(request)),
  );
});
