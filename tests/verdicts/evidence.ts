import { generateKey, keyIdOf, toHex } from 'alvarium-sdk'
import type { Policy } from 'alvarium-sdk/trust'
import { bundleBy, checkpointBy, type Party } from '../support/by-hand.js'

/** The signer of messages and logs, the signer of leases and sets, and an unknown party. */
export const [device, issuer, stranger] = [generateKey(), generateKey(), generateKey()] as [
  Party,
  Party,
  Party,
]

export const RUN = 'cd'.repeat(16)

export const at = (minute: number) =>
  new Date(Date.UTC(2026, 10, 20, 10, minute)).toISOString().replace('Z', '000Z')

export const trusting = ({ verifyingKey }: Party = device) => [verifyingKey]

/** Returns a policy with a signer for each key, all of which may confirm. */
export const policyOf = (keys: readonly Uint8Array[]): Policy => ({
  signers: keys.map((key) => ({ name: keyIdOf(key), keys: [toHex(key)], confirms: true })),
})

/** Words of reasons that name a message. */
export const MESSAGE = /message|list|update|signature|signer|timestamp|origin|note|set|checkpoint|payload|Key/

/** Words of reasons that name the public keys of the reader. */
export const KEYRING = /keyring|verifyingKey/

export function logOf(name: string, end = 6) {
  const log = [1, 2, 3, 4].map((minute) =>
    bundleBy(device, { payload: `${name}${minute}`, timestamp: at(minute) }),
  )
  const [run, until] = [RUN, at(end)]
  const first = checkpointBy(device, { run, number: 0, log: log.slice(0, 2), from: at(0), at: at(2) })
  const second = checkpointBy(device, { run, number: 1, log, first: 2, from: at(2), at: until, end: true })
  return { log, notes: [first, second], messages: log.map(({ message }) => message) }
}
