/**
 * Maximum number of records that are annotated at the same time. Records need not wait for the
 * acknowledgements of earlier ones.
 */
const OUTSTANDING = 256

/**
 * @param {import('./dataset.mjs').Dataset} dataset
 * @param {import('./dataset.mjs').Reading} reading
 * @param {import('./job.mjs').Job} job
 * @param {AbortSignal} signal
 */
export async function annotateAll(dataset, reading, { tally }, signal) {
  const since = performance.now()
  let row = 0
  await inParallel(reading.payloads(), signal, (payload) => {
    row++
    return annotate(payload, { source: dataset.source, row }, dataset, tally)
  })
  tally.elapsedMs = performance.now() - since
}

/**
 * Annotates each step of one record: it is created, arrives at the gateway, is transformed, and is published.
 *
 * @param {Uint8Array} payload
 * @param {import('./dataset.mjs').Origin} origin
 * @param {import('./dataset.mjs').Dataset} dataset
 * @param {import('./job.mjs').Tally} tally
 */
async function annotate(payload, origin, dataset, tally) {
  await tally.call('create', payload)
  await tally.call('transit', payload)
  const transformed = await dataset.transform(payload, origin)
  await tally.call('mutate', payload, transformed)
  await tally.call('publish', transformed)
}

/**
 * Runs `work` for all payloads, at most {@link OUTSTANDING} at a time.
 *
 * @param {AsyncIterable<Uint8Array>} payloads
 * @param {AbortSignal} signal
 * @param {(payload: Uint8Array) => Promise<void>} work
 */
async function inParallel(payloads, signal, work) {
  const iterator = payloads[Symbol.asyncIterator]()
  let isOver = false
  const lane = async () => {
    while (!isOver) {
      const { done, value } = await iterator.next()
      if (done || isOver) return
      await work(value)
    }
  }
  try {
    await Promise.race([Promise.all(Array.from({ length: OUTSTANDING }, lane)), aborted(signal)])
  } finally {
    isOver = true
    // Close the file, but do not wait: a read may still be pending. After a failed read, nothing is open.
    iterator.return?.().catch(() => {})
  }
}

/**
 * Rejects when a signal aborts.
 *
 * @param {AbortSignal} signal
 * @returns {Promise<never>} rejects with the signal's reason
 */
export function aborted(signal) {
  return new Promise((_, reject) => {
    const fail = () => reject(signal.reason)
    if (signal.aborted) fail()
    else signal.addEventListener('abort', fail, { once: true })
  })
}
