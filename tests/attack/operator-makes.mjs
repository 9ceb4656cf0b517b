// Messages of honest signers, with checkpoints that witnesses see, and the log of the store that keeps them.

import { generateKey, openSdk, source, verifyMessages } from 'alvarium-sdk'
import { checkpoints, verifyCheckpoint } from 'alvarium-sdk/completeness'
import { askWitnesses } from 'alvarium-sdk/witness'
import { HandLog } from '../witness/logs.mjs'
import { openWitnesses } from './operator-witnesses.mjs'
import { virtualClock } from './virtual-clock.mjs'

export const SIGNERS = 20
export const RUNS = 3
/** Lowest number of lists of a run, so that some in its middle can be hidden. */
const LISTS = 4
const HOUR = 3_600_000
/**
 * No honest witness exceeds this timeout, however busy the machine is. The liar closes connections instead of waiting.
 */
export const PATIENT = { witnessTimeoutMs: HOUR }
/** Checkpoints of the store's log in a round. */
const STORE_NOTES = 4

/**
 * @typedef {{ message: Uint8Array, at: number, position: number, id: string, verified: any }} SentMessage
 * @typedef {{ run: string, messages: SentMessage[], notes: any[] }} HonestRun `notes`: its verified checkpoints, each as often as it was published
 */

/**
 * Makes a round: twenty signers, their witnesses, and a store.
 *
 * @param {import('./random.mjs').Random} random @param {number} each number of messages per signer
 */
export async function honestRound(random, each) {
  const keys = Array.from({ length: SIGNERS }, () => generateKey())
  const store = new HandLog('store.example/attacked')
  const watched = { logs: [store.signer.vkey], signers: keys.map(({ verifyingKey }) => verifyingKey) }
  const seen = await openWitnesses(random, watched)
  const signers = []
  for (const one of keys) signers.push({ ...one, runs: await runsOf(random, one, { each, ...seen }) })
  const storeNotes = await storedIn(store, signers, seen)
  return { ...seen, signers, store, storeNotes }
}

async function runsOf(random, keys, { each, witnesses }) {
  const begin = virtualClock.now
  const runs = []
  for (let at = 0; at < RUNS; at++) {
    const after = runs.at(-1)?.last
    runs.push(await runOf(random, keys, { count: Math.ceil(each / RUNS), after, witnesses }))
    virtualClock.now += 5_000
  }
  virtualClock.now = begin + 100
  return runs
}

/** Signs one more run of a signer, which names the previous one. */
export function runAgain(random, signer, { each, witnesses }) {
  const { last } = signer.runs.at(-1)
  return runOf(random, signer, { count: Math.ceil(each / RUNS / 2), after: last, witnesses })
}

async function runOf(random, { signingKey, verifyingKey }, { count, after, witnesses }) {
  const [messages, notes] = [[], []]
  const every = Math.max(1, Math.floor(count / LISTS))
  const own = checkpoints({
    stream: { publish: (note) => void notes.push(note) },
    every,
    everyMs: HOUR,
    witnesses,
    ...PATIENT,
    ...(after && { after }),
  })
  const stream = {
    publish: (message) => void messages.push({ message, at: virtualClock.now, position: messages.length }),
  }
  const sdk = await openSdk({ signingKey, annotators: [source()], stream, checkpoints: own, logger: SILENT })
  for (let at = 0; at < count; at++) {
    virtualClock.now += 20 + random.below(60)
    await sdk.create(random.bytes(8))
    // Wait, so that the witnesses see each list.
    if ((at + 1) % every === 0) await publishedAgain(notes)
  }
  virtualClock.now += 3
  await sdk.close()
  return verifiedRun(messages, notes, [verifyingKey])
}

const SILENT = { debug() {}, info() {}, warn() {}, error() {} }

/** Waits until the newest checkpoint has lines of witnesses. */
async function publishedAgain(notes) {
  const hasLines = () => notes.length > 0 && Buffer.from(notes.at(-1)).includes('\\n— witness.example/')
  for (let turn = 0; turn < 10_000 && !hasLines(); turn++)
    await new Promise((resolve) => setImmediate(resolve))
}

async function verifiedRun(messages, notes, keyring) {
  const verified = await verifyMessages(
    messages.map(({ message }) => message),
    { keyring },
  )
  for (const [at, one] of messages.entries()) {
    one.verified = verified[at].value
    one.id = one.verified[0].id
  }
  const read = []
  for (const message of notes) read.push({ ...(await verifyCheckpoint(message, { keyring })), message })
  return { run: read[0].run, messages, notes: read, last: notes.at(-1) }
}

/**
 * Puts all messages into the log of the store, with some checkpoints that witnesses see.
 *
 * @returns their notes, with sizes and times
 */
async function storedIn(store, signers, { witnesses }) {
  const all = signers
    .flatMap(({ runs }) => runs.flatMap(({ messages }) => messages))
    .sort((a, b) => a.at - b.at)
  const notes = []
  const ids = all.map(({ id }) => id)
  for (const [at, id] of ids.entries()) {
    store.addEntry(Buffer.from(id, 'hex'))
    if ((at + 1) % Math.ceil(ids.length / STORE_NOTES) !== 0 && at + 1 < ids.length) continue
    virtualClock.now += 60_000
    const { note, witnessed } = await askWitnesses(store.noteAt(), {
      witnesses,
      ...PATIENT,
      growthFrom: growthOf(store),
    })
    notes.push({ note, size: store.leaves.length, time: Math.floor(virtualClock.now / 1000), witnessed })
  }
  return Object.assign(notes, { ids })
}

/** @param {HandLog} log */
export const growthOf = (log) => (from) =>
  from > log.leaves.length ? undefined : log.pathOf(from).map((hash) => hash.toString('hex'))
