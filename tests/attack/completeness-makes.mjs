// Messages of a signer in half a virtual minute: with restarts, parallel runs, batches and killed processes.

import { generateKey, memory, openSdk, source, verifyMessages } from 'alvarium-sdk'
import { checkpoints, verifyCheckpoint } from 'alvarium-sdk/completeness'
import { FAULTS } from './completeness-faults.mjs'
import { virtualClock } from './virtual-clock.mjs'

/** Messages per checkpoint. */
const EVERY = 64
const RUNS = 3

/**
 * @typedef {{ kind: 'message' | 'checkpoint', message: Uint8Array, at: number, id: string, position: number, read?: any, verified?: any }} Sent
 * The `position` of a checkpoint is its number.
 */

/**
 * Makes a signer, its published messages, and the fault to apply to them.
 *
 * @param {import('./random.mjs').Random} random @param {number} count number of messages
 */
export async function signerOf(random, count) {
  const fault = random.pick(Object.keys(FAULTS).slice(1))
  const keys = generateKey()
  const begin = virtualClock.now
  const sent = []
  for (let run = 0; run < RUNS; run++) {
    // Runs follow each other; the last one runs in parallel to the first.
    if (run === RUNS - 1) virtualClock.now = begin + 500
    // If the end of a run is unknown, nothing counts as backdated.
    const isKilled = run === 0 && fault !== 'backdated' && random.below(2) === 0
    sent.push(...(await life(random, keys, { count: Math.ceil(count / RUNS), isKilled })))
    virtualClock.now += 1000
  }
  virtualClock.now = begin
  return { fault, ...keys, sent }
}

async function life(random, { signingKey, verifyingKey }, { count, isKilled }) {
  const sent = []
  const noted = (kind) => {
    let position = 0
    return {
      publish: (message) => void sent.push({ kind, message, at: virtualClock.now, position: position++ }),
    }
  }
  const sdk = await openSdk({
    signingKey,
    annotators: [source()],
    stream: noted('message'),
    checkpoints: checkpoints({ stream: noted('checkpoint'), every: EVERY, everyMs: 3_600_000 }),
  })
  for (let at = 0; at < count; at++) {
    virtualClock.now += 20 + random.below(60)
    if (random.below(8) > 0) await sdk.create(random.bytes(8))
    else await sdk.createMany(Array.from({ length: 2 + random.below(3) }, () => random.bytes(8)))
  }
  virtualClock.now += 3
  await sdk.close()
  return read(isKilled ? sent.slice(0, -1) : sent, [verifyingKey])
}

async function read(sent, keyring) {
  for (const one of sent) {
    if (one.kind === 'checkpoint') one.read = await verifyCheckpoint(one.message, { keyring })
  }
  const messages = sent.filter(({ kind }) => kind === 'message')
  const verified = await verifyMessages(
    messages.map(({ message }) => message),
    { keyring },
  )
  for (const [at, one] of messages.entries()) one.verified = verified[at].value
  const { run } = sent.find(({ kind }) => kind === 'checkpoint').read
  for (const one of sent) one.id = run
  return sent
}

/** Signs messages at these times with the stolen key, without a log. */
export async function stolen({ signingKey, verifyingKey }, times) {
  const stream = memory()
  const sdk = await openSdk({ signingKey, annotators: [source()], stream })
  const now = virtualClock.now
  for (const at of times) {
    virtualClock.now = at
    await sdk.create(Uint8Array.of(at % 256))
  }
  virtualClock.now = now
  await sdk.close()
  const verified = await verifyMessages(stream.messages, { keyring: [verifyingKey] })
  return stream.messages.map((message, at) => ({
    kind: 'message',
    message,
    at: times[at],
    verified: verified[at].value,
  }))
}
