import type { PayloadName } from 'alvarium-sdk/judge'
import { identityBytes } from 'alvarium-sdk/verify'
import { AlvariumError } from '../../foundation/base/errors.js'
import { readIfClassic } from '../../verifying/classic/read-message.js'
import { inspectBundles, inspectClassic } from '../inspect/inspected.js'

/**
 * Returns the payloads that a message claims to be about, no matter who signed it. Bytes that are no message
 * have none.
 */
export function claimedPayloads(message: Uint8Array): PayloadName[] {
  try {
    const classic = readIfClassic(message)
    const { bundles, annotations } = classic
      ? inspectClassic(classic)
      : inspectBundles(message, identityBytes(message))
    return [...bundles, ...annotations].map(({ hash, key }) => ({
      hash,
      key: hash === 'none' ? key : key.toUpperCase(),
    }))
  } catch (error) {
    if (error instanceof AlvariumError && error.code === 'MESSAGE_MALFORMED') return []
    throw error
  }
}
