import { generateKey, toHex, verifyBatch } from 'alvarium-sdk'
import { Completeness, verifyCheckpoint } from 'alvarium-sdk/completeness'
import { readTrust } from 'alvarium-sdk/trust'
import { bundleBy, checkpointBy, leaseBy } from './by-hand.js'

/*
 * One private key with leases of two issuers, as after a rotation. Its run is one log, whichever lease accepts a
 * message or a checkpoint.
 */

export const [first, second, holder] = [generateKey(), generateKey(), generateKey()]
/** The issuer for whom the key counts. */
export const owner = [first.keyId, second.keyId].sort()[0] as string
export const clock = (minute: number) => `2026-11-20T10:${String(minute).padStart(2, '0')}:00.000000Z`
const signers = [first, second].map(({ keyId, verifyingKey }) => ({
  name: keyId,
  keys: [toHex(verifyingKey)],
}))
export const policy = { signers, acceptLateMs: 0 }
export const run = 'a'.repeat(32)
export const leases = await Promise.all([
  leaseBy(first, holder, clock(0), clock(30)),
  leaseBy(second, holder, clock(30), clock(59)),
])
export const log = [10, 20, 40, 50].map((minute) =>
  bundleBy(holder, { payload: `${minute}`, timestamp: clock(minute) }),
)
export const messages = log.map(({ message }) => message)
const checkpoint = (number: number, size: number, all = log) => ({
  run,
  number,
  log: all.slice(0, size),
  first: number === 0 ? 0 : 1,
  from: clock(number === 0 ? 5 : 15),
  at: clock(number === 0 ? 15 : 55),
})
/** One checkpoint in the time of each lease. */
export const notes = [
  checkpointBy(holder, checkpoint(0, 1)),
  checkpointBy(holder, { ...checkpoint(1, 4), end: true }),
]
const forkedLog = [bundleBy(holder, { payload: 'another', timestamp: clock(10) }), ...log.slice(1)]
/** Such checkpoints, but the second continues another log. */
export const forkedNotes = [
  notes[0] as Uint8Array,
  checkpointBy(holder, { ...checkpoint(1, 4, forkedLog), end: true }),
]

export async function reportOn(messages: readonly Uint8Array[], given: readonly Uint8Array[]) {
  const keyring = await readTrust(policy)
  const found = new Completeness()
  for (const note of given) found.addCheckpoint(await verifyCheckpoint(note, { keyring, leases }))
  for (const one of messages) found.addMessage(one, await verifyBatch(one, { keyring, leases }))
  await keyring.close()
  return found.report()
}
