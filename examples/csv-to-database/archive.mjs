/** Stores bundles from a broker in a separate archive on another machine, with one write per group. */

import { subscribe } from 'alvarium-sdk'

/**
 * @param {import('alvarium-sdk').SubscribeOptions} where
 * @param {import('./store.mjs').Archive} archive
 */
export function archiver(where, archive) {
  // The loop writes the ids itself, together with the bundles.
  const nothing = () => {}
  const has = async (/** @type {string} */ id) => (await archive.known([id])).length > 0
  const store = { has, hasAll: archive.known, add: nothing, addAll: nothing }
  // `prefetch` limits the messages that are here at a time, so groups are as large as they can be.
  const bundles = subscribe({ ...where, prefetch: 64, dedup: { store } })

  /**
   * Archives this many bundles.
   *
   * @param {number} count
   * @returns {Promise<number>} the number of writes
   */
  const run = async (count) => {
    let [archived, writes] = [0, 0]
    for await (const group of bundles.groups({ max: 4096, maxMs: 50 })) {
      await archive.put(group.bundles)
      await group.ack() // asking for the next group would acknowledge too, but the last one has no next
      writes++
      archived += group.bundles.length
      if (archived >= count) break
    }
    return writes
  }
  return { open: () => bundles.open(), run, close: () => bundles.close() }
}
