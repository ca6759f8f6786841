// The values of a rule set by their places: a small table whole, of a large one only the pages that are read.
import { damaged, dataFile, fileRange } from "./files.js";
import { sha256 } from "./sha256.js";

const MAX_BYTES = 32 << 20; // of pages kept in memory
const AT_A_TIME = 6; // requests; browsers send no more to a server of HTTP/1.1

// The bytes that a table needs at once: those of a small one, the digests of a large one.
export const loadTable = async (base, entry, onLoaded) =>
  new Uint8Array(await dataFile(base, entry.coding === "pages" ? entry.digests : entry, onLoaded));
export const openTable = (base, game, entry, bytes) =>
  entry.coding === "pages"
    ? new PagedTable(base, entry, bytes)
    : new WholeTable(decode(bytes, game, entry));

class WholeTable {
  constructor(values) {
    this.values = values;
  }
  at(place) {
    return this.values[place];
  }
  async load() {
    /* everything is here */
  }
}

// Whole numbers in fixed point, as differences from what the cards after it let expect (web/site/folder.py):
//
//   expected = V(card + a) + V(card + b) - V(card + a + b)     a, b: the first lower boxes that may be filled
//
// Of the differences those to the lane before are stored, the sign in the last bit, first all highest bytes.
function decode(bytes, game, { planes, fraction_bits: fractionBits, count }) {
  const values = new Float64Array(count),
    predictable = lowerBoxes(game);
  if (bytes.length !== planes * count || game.size !== count)
    throw new RangeError("a table has another size than its rules");
  const stored = (place) => {
    let code = 0;
    for (let plane = 0; plane < planes; plane++) code = code * 256 + bytes[plane * count + place];
    return code % 2 ? -(code + 1) / 2 : code / 2;
  };
  for (const row of game.rowsInOrder) {
    const begin = game.offsets[row],
      length = game.rowLength(row),
      [a, b, both] = cardsAfter(game, row, predictable);
    for (let i = 0, difference = 0; i < length; i++) {
      difference += stored(begin + i);
      let expected = 0;
      if (b >= 0) expected = values[a + i] + values[b + i] - values[both + i];
      else if (a >= 0) expected = values[a + i];
      values[begin + i] = expected + difference;
    }
  }
  const unit = 2 ** -fractionBits;
  for (let i = 0; i < count; i++) values[i] *= unit;
  return values;
}

// Boxes whose filling changes neither the lanes nor the row of the tracked box.
const lowerBoxes = (game) =>
  game.categories
    .map((_, c) => c)
    .filter((c) => !game.layout.weight_of[c] && c !== game.layout.tracked_index);

// Places of the cards after filling the first predictable box, the second, and both; -1 if there are none.
function cardsAfter(game, row, predictable) {
  const filled = game.masks[row],
    [a, b] = predictable.filter((c) => !((filled >> c) & 1) && !(game.prerequisites[c] & ~filled));
  const place = (...boxes) =>
    game.offsets[row + boxes.reduce((sum, c) => sum + game.layout.step_of[c], 0)];
  if (a === undefined) return [-1, -1, -1];
  return b === undefined ? [place(a), -1, -1] : [place(a), place(b), place(a, b)];
}

// Pages are fetched whole, and used only if they match their digests.
class PagedTable {
  constructor(base, entry, digests) {
    Object.assign(this, {
      base,
      ...entry,
      digests,
      isPaged: true,
      pages: new Map(),
      loading: Promise.resolve(),
    });
    this.type = entry.bytes === 8 ? Float64Array : Float32Array;
    this.perPage = entry.page_bytes / entry.bytes;
  }

  at(place) {
    const page = Math.floor(place / this.perPage);
    return this.pages.get(page)[place - page * this.perPage];
  }

  // Fetches the pages of places that are not here. One call after the other: the next one may need the same pages.
  load(places) {
    const loaded = this.loading.then(() => this.fetchMissing(places));
    this.loading = loaded.catch(() => {});
    return loaded;
  }

  // Neighbours in one request.
  async fetchMissing(places) {
    const wanted = new Set(places.map((place) => Math.floor(place / this.perPage)));
    for (const page of wanted) {
      // the pages used last stay
      const found = this.pages.get(page);
      if (found) {
        this.pages.delete(page);
        this.pages.set(page, found);
      }
    }
    const missing = [...wanted].filter((page) => !this.pages.has(page)).sort((a, b) => a - b),
      runs = [];
    for (const page of missing) {
      const last = runs.at(-1);
      if (last && page === last[1] + 1 && this.partOf(page) === this.partOf(last[0]))
        last[1] = page;
      else runs.push([page, page]);
    }
    const queue = runs.values();
    await Promise.all(
      Array.from({ length: AT_A_TIME }, async () => {
        for (const run of queue) await this.fetchRun(...run);
      }),
    );
    while (this.pages.size > Math.max(MAX_BYTES / this.page_bytes, wanted.size))
      this.pages.delete(this.pages.keys().next().value);
  }

  partOf(page) {
    return Math.floor((page * this.page_bytes) / this.part_bytes);
  }

  // Once more from the host itself if a page differs: a cache on the way may be damaged.
  async fetchRun(first, last, cache = "default") {
    const part = this.partOf(first),
      start = part * this.part_bytes;
    const begin = first * this.page_bytes - start,
      end = Math.min((last + 1) * this.page_bytes, this.count * this.bytes) - start;
    const bytes = await fileRange(this.base, this.parts[part], begin, end, cache),
      found = [];
    for (let page = first; page <= last; page++) {
      const content = bytes.slice(
        (page - first) * this.page_bytes,
        (page - first + 1) * this.page_bytes,
      );
      if (bytes.byteLength !== end - begin || !(await this.isIntact(page, content))) {
        if (cache === "reload") throw damaged(this.parts[part]);
        return this.fetchRun(first, last, "reload");
      }
      found.push([page, new this.type(content)]);
    }
    for (const [page, values] of found) this.pages.set(page, values);
  }

  async isIntact(page, content) {
    const digest = await sha256(new Uint8Array(content)),
      start = page * this.digest_bytes;
    return digest
      .subarray(0, this.digest_bytes)
      .every((byte, i) => byte === this.digests[start + i]);
  }
}
