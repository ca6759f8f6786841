// Records: texts under keys, in IndexedDB. Changes that belong together are written in one transaction. What the database does
// not take, because it is not there, broken or full, is kept in localStorage under the same keys until it does.

const DATABASE = "perfect-yatzy",
  RECORDS = "records",
  OPEN_MS = 3000; // some browsers never answer
export const PREFIX = "perfect-yatzy-5:"; // of every key; earlier versions kept all games in localStorage, so
const REMOVED = ""; // in localStorage: what the database still has is removed

let connection, // undefined until it is known whether there is one; null if there is none
  opening = null;

// A database that another tab wants to change, or that the player has cleared, is opened anew by the next question.
function follow(opened) {
  connection = opened;
  opened.onversionchange = () => {
    connection = undefined;
    opened.close();
  };
  opened.onclose = () => {
    connection = undefined;
  };
}

async function open() {
  let timer = 0;
  await new Promise((resolve) => {
    const none = () => {
      connection = null;
      resolve();
    };
    timer = setTimeout(none, OPEN_MS);
    try {
      const request = indexedDB.open(DATABASE, 1);
      request.onupgradeneeded = () => request.result.createObjectStore(RECORDS);
      request.onerror = none;
      request.onsuccess = () => {
        follow(request.result);
        resolve();
      };
    } catch {
      none();
    }
  });
  clearTimeout(timer);
}

const database = () =>
  (opening ||= open().finally(() => {
    opening = null;
  }));

// Runs a transaction; `act` gets the records. What throws leaves all as it was.
const transaction = (mode, act) =>
  new Promise((resolve, reject) => {
    const running = connection.transaction(RECORDS, mode);
    running.oncomplete = resolve;
    running.onabort = () => reject(running.error);
    try {
      act(running.objectStore(RECORDS));
    } catch (error) {
      running.abort();
      throw error;
    }
    if (mode === "readwrite") running.commit?.();
  });

// --- what is kept beside the database: games of earlier versions, and what it has not taken ---

export function waitingKeys() {
  try {
    const keys = Array.from({ length: localStorage.length }, (_key, i) => localStorage.key(i));
    return keys.filter((key) => key.startsWith(PREFIX));
  } catch {
    return [];
  }
}

function local(key) {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

function setLocal(key, text) {
  if (text !== null) localStorage.setItem(key, text);
  else if (connection) localStorage.setItem(key, REMOVED);
  else localStorage.removeItem(key);
}

// Keeps all changes or none, at once. Returns whether they are kept.
export function keepAtOnce(changes) {
  const before = new Map([...changes.keys()].map((key) => [key, local(key)]));
  try {
    for (const [key, text] of changes) setLocal(key, text);
    return true;
  } catch {
    for (const [key, text] of before) {
      try {
        if (text === null) localStorage.removeItem(key);
        else localStorage.setItem(key, text);
      } catch {
        /* What was there before has had room. */
      }
    }
    return false;
  }
}

// --- reading and writing ---

// The records whose keys are wanted: key -> text.
export async function readRecords(isWanted) {
  const found = new Map();
  if (connection === undefined) await database();
  if (connection) {
    const read = (records) => {
      records.getAllKeys().onsuccess = ({ target }) => {
        for (const key of target.result.filter(isWanted))
          records.get(key).onsuccess = (event) => found.set(key, event.target.result);
      };
    };
    await transaction("readonly", read).catch(() => {});
  }
  for (const key of waitingKeys().filter(isWanted)) {
    if (local(key) === REMOVED) found.delete(key);
    else found.set(key, local(key));
  }
  return found;
}

// Writes changes, key -> text or null for a record that goes: all of them or none. Returns whether they are stored. What
// localStorage has for these keys is older, unless it has changed meanwhile.
export async function writeRecords(changes) {
  if (connection === undefined) await database();
  if (!connection) return keepAtOnce(changes);
  const before = new Map([...changes.keys()].map((key) => [key, local(key)]));
  try {
    await transaction("readwrite", (records) => {
      for (const [key, text] of changes) {
        if (text === null) records.delete(key);
        else records.put(text, key);
      }
    });
  } catch {
    return keepAtOnce(changes);
  }
  for (const [key, text] of before)
    if (text !== null && local(key) === text) localStorage.removeItem(key);
  return true;
}

// Changes records that belong together; the function returned brings back what was there.
export async function replaceRecords(changes) {
  const before = await readRecords((key) => changes.has(key));
  await writeRecords(changes);
  return () =>
    writeRecords(new Map([...changes.keys()].map((key) => [key, before.get(key) ?? null])));
}

// Moves what localStorage has under keys that begin so into the database. Nobody else may change them meanwhile.
export async function moveIntoDatabase(prefix) {
  const keys = waitingKeys().filter((key) => key.startsWith(prefix));
  if (connection === undefined) await database();
  if (keys.length && connection)
    await writeRecords(new Map(keys.map((key) => [key, local(key) || null])));
}
