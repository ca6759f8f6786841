// An error with a code for programs, the codes of service/README.md; the worker sends its parts to the page. A value that is
// a list of numbers is summarized there.

// Marks a text that the page translates: the page has the messages, the worker has not.
export const N_ = (text) => text;

export class EngineError extends Error {
  constructor(code, message, values = {}, field = undefined) {
    super(message.replace(/\{(\w+)\}/g, (_, name) => values[name]));
    Object.assign(this, {
      code,
      template: message,
      values,
      field,
      retryable: code === "network" || code === "table-damaged",
    });
  }
}
