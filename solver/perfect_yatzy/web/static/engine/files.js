// Files of the site: fetched, compared with their hashes, kept in a cache of the browser for the next visit and for
// times without a network. Names of data files contain a hash of their content, so a kept file never is out of date.
import { EngineError, N_ } from "./errors.js";
import { hexOf, sha256 as sha256Of } from "./sha256.js";

const SCHEMA = 2; // of site.json
const CACHE = "perfect-yatzy-data";
const TIMEOUT_MS = 60_000,
  RANGE_TIMEOUT_MS = 20_000;
const PATIENCE_MS = 3000; // for the description of the site, if there is a kept one
export const traffic = { requests: 0, bytes: 0 }; // for tests: what was moved over the network

async function openCache() {
  try {
    return await globalThis.caches?.open(CACHE);
  } catch {
    return undefined;
  } // forbidden in some private windows
}

// The bytes of a file or of a range of it; tried once more, because networks of phones fail for a moment. `onLoaded` takes the
// number of bytes so far.
async function download(url, { onLoaded, ...options }, timeout = TIMEOUT_MS, retries = 1) {
  try {
    const response = await fetch(url, { ...options, signal: AbortSignal.timeout(timeout) });
    traffic.requests++;
    if (!response.ok) throw new Error(`HTTP ${response.status}`);
    if (options.headers && response.status !== 206) {
      response.body?.cancel().catch(() => {});
      throw new EngineError(
        "range-unsupported",
        N_("This server cannot send parts of large files, which these rules need."),
      );
    }
    const bytes = await (onLoaded ? streamed(response, onLoaded) : response.arrayBuffer());
    traffic.bytes += bytes.byteLength;
    return bytes;
  } catch (error) {
    if (error instanceof EngineError) throw error;
    if (retries) return download(url, { onLoaded, ...options }, timeout, retries - 1);
    throw new EngineError(
      "network",
      N_("The file {file} could not be loaded; check the connection."),
      { file: String(url).split("/").pop() },
    );
  }
}

async function streamed(response, onLoaded) {
  const parts = [];
  let size = 0;
  for (const reader = response.body.getReader(); ;) {
    const { done, value } = await reader.read();
    if (done) return new Blob(parts).arrayBuffer();
    parts.push(value);
    onLoaded((size += value.byteLength));
  }
}

const isIntact = async (bytes, sha256) => hexOf(await sha256Of(new Uint8Array(bytes))) === sha256;
export const damaged = (file) =>
  new EngineError("table-damaged", N_("The file {file} is damaged on the server."), { file });

// The bytes of a data file, unpacked. `entry` is {file, sha256} of site.json; `onLoaded` is told while it is fetched.
export async function dataFile(base, { file, sha256 }, onLoaded) {
  const url = new URL(file, base),
    cache = await openCache(),
    kept = await cache?.match(url);
  let bytes = kept && (await kept.arrayBuffer());
  if (!bytes || !(await isIntact(bytes, sha256))) {
    bytes = await download(url, { cache: kept ? "reload" : "default", onLoaded });
    if (!(await isIntact(bytes, sha256)))
      bytes = await download(url, { cache: "reload", onLoaded });
    if (!(await isIntact(bytes, sha256))) throw damaged(file);
    await cache?.put(url, new Response(bytes)).catch(() => {}); // the disk is full: it works, but not offline
  }
  return unpacked(bytes);
}

// Some servers unpack compressed files on the way, so the first two bytes decide.
async function unpacked(bytes) {
  const head = new Uint8Array(bytes, 0, 2);
  if (head[0] !== 0x1f || head[1] !== 0x8b) return bytes;
  return new Response(
    new Response(bytes).body.pipeThrough(new DecompressionStream("gzip")),
  ).arrayBuffer();
}

export const dataJson = async (base, entry) =>
  JSON.parse(new TextDecoder().decode(await dataFile(base, entry)));

// The description of the site: from the network if there is one, so that a new version is seen at once.
export async function siteFile(base) {
  const url = new URL("site.json", base),
    cache = await openCache(),
    kept = await cache?.match(url);
  let site;
  try {
    const bytes = await download(
      url,
      { cache: "no-cache" },
      kept ? PATIENCE_MS : TIMEOUT_MS,
      kept ? 0 : 1,
    );
    site = await described(bytes);
    await cache?.put(url, new Response(bytes)).catch(() => {});
  } catch (error) {
    if (!kept) throw error;
    site = await described(await kept.arrayBuffer());
  }
  await forget(cache, base, new Set(site.files));
  return site;
}

// The description in these bytes: its first line has the SHA-256 of the others. A host may answer with something else.
async function described(bytes) {
  try {
    const rest = bytes.slice(new Uint8Array(bytes).indexOf(10) + 1),
      site = JSON.parse(new TextDecoder().decode(bytes));
    if (site.schema === SCHEMA && (await isIntact(rest, site.sha256))) return site;
  } catch {
    /* no JSON */
  }
  throw damaged("site.json");
}

// Deletes kept files that the site no longer has.
async function forget(cache, base, files) {
  for (const { url } of (await cache?.keys()) ?? []) {
    const name = url.startsWith(base) ? url.slice(base.length) : "";
    if (name.startsWith("data/") && !files.has(name)) await cache.delete(url);
  }
}

// Some bytes of a file, by a Range request; the caller checks them.
export const fileRange = (base, file, begin, end, cache = "default") =>
  download(
    new URL(file, base),
    { headers: { range: `bytes=${begin}-${end - 1}` }, cache },
    RANGE_TIMEOUT_MS,
  );
