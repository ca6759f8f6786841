// SHA-256. Only pages of https and of localhost have that of the browser; others compute it here.

const primes = (count) => {
  const found = [];
  for (let n = 2; found.length < count; n++) if (found.every((prime) => n % prime)) found.push(n);
  return found;
};
const fraction = (x) => ((x - Math.floor(x)) * 2 ** 32) | 0; // its first 32 bits
const START = primes(8).map((prime) => fraction(Math.sqrt(prime))),
  ROUNDS = primes(64).map((prime) => fraction(Math.cbrt(prime)));
const turned = (x, bits) => (x >>> bits) | (x << (32 - bits));

// The digest of a Uint8Array, computed at once: for short ones.
export function digestOf(bytes) {
  const size = Math.ceil((bytes.length + 9) / 64) * 64,
    padded = new Uint8Array(size),
    view = new DataView(padded.buffer);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  view.setUint32(size - 8, Math.floor(bytes.length / 2 ** 29));
  view.setUint32(size - 4, bytes.length << 3);
  const hash = Int32Array.from(START),
    words = new Int32Array(64);
  for (let block = 0; block < size; block += 64) {
    for (let i = 0; i < 64; i++) {
      if (i < 16) {
        words[i] = view.getInt32(block + 4 * i);
        continue;
      }
      const a = words[i - 15],
        b = words[i - 2];
      words[i] =
        words[i - 16] +
        words[i - 7] +
        (turned(a, 7) ^ turned(a, 18) ^ (a >>> 3)) +
        (turned(b, 17) ^ turned(b, 19) ^ (b >>> 10));
    }
    let [a, b, c, d, e, f, g, h] = hash;
    for (let i = 0; i < 64; i++) {
      const first =
        (h +
          (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) +
          ((e & f) ^ (~e & g)) +
          ROUNDS[i] +
          words[i]) |
        0;
      const second =
        ((turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0];
    }
    [a, b, c, d, e, f, g, h].forEach((word, i) => {
      hash[i] += word;
    });
  }
  const found = new DataView(new ArrayBuffer(32));
  hash.forEach((word, i) => found.setInt32(4 * i, word));
  return new Uint8Array(found.buffer);
}

// The digest of a Uint8Array, as one.
export async function sha256(bytes) {
  return globalThis.crypto?.subtle
    ? new Uint8Array(await crypto.subtle.digest("SHA-256", bytes))
    : digestOf(bytes);
}

export const hexOf = (digest) =>
  [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("");
