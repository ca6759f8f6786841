// Long work in slices, so that a question about the dice is answered while a distribution is computed.
const SLICE_MS = 12;
let sliceEnd = 0;

// Waits for other questions if this slice has been used up; throws if the question was withdrawn.
export async function pause(signal) {
  if (signal?.aborted) throw signal.reason;
  if (performance.now() < sliceEnd) return;
  await new Promise((resolve) => {
    setTimeout(resolve);
  });
  sliceEnd = performance.now() + SLICE_MS;
}
