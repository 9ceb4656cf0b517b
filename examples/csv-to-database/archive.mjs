/** On another machine: bundles that come over a broker into a store of its own, with one write for each group of them. */

import { subscribe } from 'alvarium-sdk'

/**
 * @param {import('alvarium-sdk').SubscribeOptions} where
 * @param {import('./store.mjs').Archive} archive
 */
export function archiver(where, archive) {
  // The loop writes the ids itself, together with what they stand for.
  const nothing = () => {}
  const has = async (/** @type {string} */ id) => (await archive.known([id])).length > 0
  const store = { has, hasAll: archive.known, add: nothing, addAll: nothing }
  // No more messages than `prefetch` are here at a time: with it, groups are as large as they may be.
  const bundles = subscribe({ ...where, prefetch: 64, dedup: { store } })

  /** Until there are so many. @param {number} count @returns {Promise<number>} in how many writes */
  const run = async (count) => {
    let [archived, writes] = [0, 0]
    for await (const group of bundles.groups({ max: 4096, maxMs: 50 })) {
      await archive.put(group.bundles)
      await group.ack() // asking for the next one would do it too; the last is followed by none
      writes++
      archived += group.bundles.length
      if (archived >= count) break
    }
    return writes
  }
  return { open: () => bundles.open(), run, close: () => bundles.close() }
}
