/** Checks each row of a store against its signed bundle. */

import { keyOf, verifyBatch } from 'alvarium-sdk'
import { payloadOf } from './import.mjs'

/**
 * @param {import('./store.mjs').Store} store
 * @param {import('alvarium-sdk').Keyring} keyring
 * @returns {Promise<{ genuine: number, altered: string[] }>}
 */
export async function checkStore(store, keyring) {
  /** @type {{ genuine: number, altered: string[] }} */
  const found = { genuine: 0, altered: [] }
  let current = -1
  /** @type {readonly import('alvarium-sdk').VerifiedBundle[]} */
  let bundles = []
  for await (const { text, batch, place } of store.rows()) {
    if (batch !== current) {
      // Verify each batch once for all of its rows. Throws if the batch was altered.
      bundles = await verifyBatch(await store.message(batch), { keyring })
      current = batch
    }
    if (bundles[place]?.key === keyOf(payloadOf(text))) found.genuine++
    else found.altered.push(text)
  }
  return found
}
