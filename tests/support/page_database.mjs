// IndexedDB as far as the page uses it, in memory: records under keys, transactions that are all or nothing. A test makes it
// fail: `isBroken` answers with an error, `isFull` takes no further record, said later or "at once", `waits` holds what is asked until it is false.
class Request {
  answer(result) {
    this.result = result;
    this.onsuccess?.({ target: this });
  }
}

class Transaction {
  requests = [];

  constructor(databases) {
    this.databases = databases;
    this.records = new Map(databases.records);
    this.run();
  }

  objectStore() {
    const ask = (act) => {
      const request = new Request();
      this.requests.push(() => request.answer(act()));
      return request;
    };
    return {
      get: (key) => ask(() => this.records.get(key)),
      getAllKeys: () => ask(() => [...this.records.keys()].sort()),
      put: (value, key) => {
        if (typeof value !== "string") throw new TypeError("the page stores texts");
        const full = new DOMException("full", "QuotaExceededError");
        if (this.databases.isFull === "at once") throw full;
        return ask(() => {
          this.error = this.databases.isFull ? full : null;
          this.records.set(key, value);
        });
      },
      delete: (key) => ask(() => this.records.delete(key)),
    };
  }

  commit() {}

  abort() {
    this.requests.length = 0;
  }

  // One after the other, as transactions that write do.
  run() {
    const { databases } = this;
    databases.last = databases.last.then(async () => {
      while (databases.waits) await new Promise((resolve) => { setImmediate(resolve); });
      this.records = new Map(databases.records);
      while (this.requests.length && !this.error) this.requests.shift()();
      if (this.error) {
        this.onabort?.();
        return;
      }
      databases.records = this.records;
      databases.written += 1;
      this.oncomplete?.();
    });
  }
}

export class Databases {
  records = new Map();
  last = Promise.resolve();
  written = 0;
  isBroken = false;
  isFull = false;
  waits = false;

  open() {
    const request = new Request();
    setImmediate(() => {
      if (this.isBroken) request.onerror();
      else request.answer({ transaction: () => new Transaction(this), close() {} });
    });
    return request;
  }
}
