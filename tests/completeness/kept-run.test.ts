// @node-only: it stops the clock, needs Mosquitto's queue, or looks inside the package

import { cp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { generateKey, memory, openSdk, source, toHex, verifyBatch } from 'alvarium-sdk'
import {
  Completeness,
  checkpoints,
  type VerifiedCheckpoint,
  verifyCheckpoint,
} from 'alvarium-sdk/completeness'
import { outbox } from 'alvarium-sdk/outbox'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startMosquitto } from '../brokers/mosquitto.js'
import { witness } from '../brokers/witness.js'
import { utf8 } from '../support/bytes.js'
import { drain, startOutbox } from '../support/outbox-process.js'
import { newPlace } from '../support/places.js'
import { until } from '../support/until.js'

/** A timeout for a process per kill on a busy machine. */
const PATIENT = 120_000

const signer = generateKey()
const keyring = [signer.verifyingKey]
const quiet = { debug: () => {}, info: () => {}, error: () => {} }

/** Returns the number of runs with their first checkpoint among these. Duplicates count once. */
const runsIn = (notes: readonly string[]) =>
  new Set(notes.filter((note) => note.includes('\\nnumber 0\\n'))).size

/** Opens and closes an SDK whose checkpoints are in an outbox. Returns its checkpoints, messages and warnings. */
async function life(store: string, messages: number, { signingKey, verifyingKey } = signer) {
  const [stream, notes] = [memory(), memory()]
  const warned: string[] = []
  const logger = { ...quiet, warn: (_: object, text: string) => void warned.push(text) }
  const signing = checkpoints({ stream: outbox({ stream: notes, store }), every: 2 })
  const sdk = await openSdk({ signingKey, annotators: [source()], stream, checkpoints: signing, logger })
  for (let at = 0; at < messages; at++) await sdk.create(Uint8Array.of(at))
  await sdk.close()
  const own = { keyring: [verifyingKey] }
  const read = await Promise.all(notes.messages.map((note) => verifyCheckpoint(note, own)))
  return { read, messages: stream.messages, warned, first: read[0], last: read.at(-1) }
}

const sizeOf = (checkpoint: VerifiedCheckpoint | undefined) => {
  const { run, size, root } = checkpoint as VerifiedCheckpoint
  return { run, size, root }
}

describe('a run whose checkpoints are in an outbox', () => {
  it('names in its checkpoints the previous run of the same key, and the last size and root of that run', async () => {
    const store = newPlace()
    const one = await life(store, 5)
    const other = await life(store, 3)
    expect(one.first?.after).toBeUndefined()
    expect(other.read.map(({ after }) => after)).toEqual(other.read.map(() => sizeOf(one.last)))
    expect([sizeOf(one.last).size, one.warned, other.warned]).toEqual([5, [], []])
  })

  // claim: completeness-27
  it('names no run of a different signing key as its previous run', async () => {
    const store = newPlace()
    await life(store, 5)
    const { read, warned } = await life(store, 3, generateKey())
    expect(read.map(({ after }) => after)).toEqual(read.map(() => undefined))
    expect(warned).toEqual([])
  })

  it('is named by the next run after sdk.rotate() and a restart with the new signing key', async () => {
    const [store, snapshot] = [newPlace(), newPlace()]
    const next = generateKey()
    const notes = memory()
    const signing = checkpoints({ stream: outbox({ stream: notes, store }), every: 2 })
    const { signingKey } = signer
    const sdk = await openSdk({ signingKey, annotators: [source()], stream: memory(), checkpoints: signing })
    await sdk.create(Uint8Array.of(1))
    await sdk.rotate(next.signingKey)
    await cp(join(store, 'owner'), join(snapshot, 'owner'), { recursive: true })
    await sdk.create(Uint8Array.of(2))
    await sdk.close()
    const own = { keyring: [next.verifyingKey] }
    const rotated = notes.messages.filter((note) => new TextDecoder().decode(note).includes(next.keyId))
    const last = await verifyCheckpoint(rotated.at(-1) as Uint8Array, own)
    // The same holds after a kill directly after the rotation.
    expect((await life(snapshot, 1, next)).first?.after).toMatchObject({ run: last.run, size: 0 })
    const { first } = await life(store, 1, next)
    expect([first?.after, sizeOf(last).size]).toEqual([sizeOf(last), 1])
    expect((await life(store, 1)).first?.after).toBeUndefined()
  })

  // claim: completeness-5
  it('contains no fork after an older copy of its outbox store was restored', async () => {
    const [store, snapshot] = [newPlace(), newPlace()]
    const completeness = new Completeness()
    const lives = [await life(store, 3)]
    await cp(store, snapshot, { recursive: true })
    lives.push(await life(store, 4))
    await rm(store, { recursive: true })
    await cp(snapshot, store, { recursive: true })
    lives.push(await life(store, 5))
    expect(lives.map(({ first }) => first?.after?.run)).toEqual([
      undefined,
      ...[1, 2].map(() => lives[0]?.first?.run),
    ])
    for (const { read, messages } of lives) {
      for (const one of read) completeness.addCheckpoint(one)
      for (const message of messages) {
        completeness.addMessage(message, await verifyBatch(message, { keyring }))
      }
    }
    expect(completeness.report()).toMatchObject([{ verdict: 'complete', messages: 12, forks: [], gaps: [] }])
  })

  it('begins without naming the previous run, and logs a warning, if the stored file was altered', async () => {
    const store = newPlace()
    await life(store, 1)
    await writeFile(join(store, 'owner', 'run'), 'something else')
    const { first, warned } = await life(store, 1)
    expect(first?.after).toBeUndefined()
    expect(warned).toEqual([expect.stringContaining('the run before could not be read')])
  })

  it.each([0, 31, 33, 35, 66, 98])(
    'names no previous run if bit 0 of byte %i of the stored file was altered',
    async (at) => {
      const store = newPlace()
      await life(store, 5)
      const kept = await readFile(join(store, 'owner', 'run'))
      kept[at] = (kept[at] as number) ^ 1
      await writeFile(join(store, 'owner', 'run'), kept)
      const { first, warned } = await life(store, 1)
      expect([first?.after, warned.length]).toEqual([undefined, 1])
    },
  )

  // claim: completeness-4
  it(
    'is named by the next run after a kill, and no message is missing',
    async () => {
      const broker = await startMosquitto()
      onTestFinished(broker.stop)
      const consumers = [await witness(broker.url, 't'), await witness(broker.url, 't/signers')] as const
      for (const consumer of consumers) onTestFinished(consumer.close)
      const places = { folder: newPlace(), notes: newPlace() }
      const options = { url: broker.url, topic: 't', key: toHex(signer.signingKey), ...places }
      for (let kill = 1; kill <= 2; kill++) {
        const process = startOutbox({ ...options, from: kill * 1_000_000 })
        await process.until(() => process.stored.length >= 50)
        // The first checkpoint takes another path than the stored messages. Without it, a run before it stays unknown.
        await until(() => runsIn(consumers[1].messages) >= kill)
        await process.kill()
      }
      await drain(options)
      const [bundles, notes] = await Promise.all(consumers.map((consumer) => consumer.untilEnd()))
      const completeness = new Completeness()
      for (const text of bundles as string[]) {
        completeness.addMessage(utf8(text), await verifyBatch(utf8(text), { keyring }))
      }
      const read = await Promise.all(
        (notes as string[]).map((note) => verifyCheckpoint(utf8(note), { keyring })),
      )
      for (const one of read) completeness.addCheckpoint(one)
      const firsts = read.filter(({ number }) => number === 0)
      const runs = [...new Set(firsts.map(({ run }) => run))]
      expect(runs).toHaveLength(3)
      const after = new Map(firsts.map(({ run, after: before }) => [run, before?.run]))
      expect(runs.map((run) => after.get(run))).toEqual([undefined, ...runs.slice(0, -1)])
      // No reader can tell which messages were signed after the last checkpoint of a killed process.
      expect(completeness.report()).toMatchObject([
        { missing: [], missingInGaps: 0, forks: [], unlisted: [] },
      ])
    },
    PATIENT,
  )
})
