// What is thrown when a question is not answered. Programs test `code`, people read `message`.
//   field      the field of the question that is wrong, if it is one
//   retryable  whether the same question may be answered if it is asked again
//   cost       with the code "confirmation-required": { what, seconds, disk_bytes, memory_bytes }
export class AskError extends Error {
  constructor(code, message, { field, retryable = false, cost } = {}) {
    super(message);
    Object.assign(this, { name: "AskError", code, field, retryable, cost });
  }
}
