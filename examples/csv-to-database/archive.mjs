/** Stores bundles from a broker in a separate archive on another machine, with one write per group. */

import { subscribe } from 'alvarium-sdk'

/**
 * @param {import('alvarium-sdk').SubscribeOptions} where
 * @param {import('./store.mjs').Archive} archive
 */
export function archiver(where, archive) {
  // Ignore new ids, because the loop below writes them together with the bundles.
  const nothing = () => {}
  const has = async (/** @type {string} */ id) => (await archive.known([id])).length > 0
  const store = { has, hasAll: archive.known, add: nothing, addAll: nothing }
  // Set `prefetch` to limit the number of messages in memory. It and `max` limit the size of the groups.
  const bundles = subscribe({ ...where, prefetch: 64, dedup: { store } })

  /**
   * Archives bundles until `count` are stored.
   *
   * @param {number} count
   * @returns {Promise<number>} number of writes
   */
  const run = async (count) => {
    let [archived, writes] = [0, 0]
    for await (const group of bundles.groups({ max: 4096, maxMs: 50 })) {
      await archive.put(group.bundles)
      await group.ack() // requesting the next group would acknowledge this one, too, but the last group has no next one
      writes++
      archived += group.bundles.length
      if (archived >= count) break
    }
    return writes
  }
  return { open: () => bundles.open(), run, close: () => bundles.close() }
}
