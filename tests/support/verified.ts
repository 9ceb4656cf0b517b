import { type VerifiedBundle, verifyMessages } from 'alvarium-sdk'
import { utf8 } from './bytes.js'
import { keyring } from './sdk.js'

/** Returns the bundles of messages in text form, verified; a message that does not verify fails the test. */
export async function verifiedAll(texts: readonly string[]): Promise<VerifiedBundle[]> {
  const outcomes = await verifyMessages(texts.map(utf8), { keyring })
  return outcomes.flatMap((one) => {
    if (one.status === 'rejected') throw one.reason
    return one.value
  })
}
