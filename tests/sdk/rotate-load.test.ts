// @node-only: it uses Mosquitto, folders of an outbox, and worker threads

import {
  type AlvariumError,
  generateKey,
  Keyring,
  mqtt,
  openSdk,
  type Receipt,
  source,
  toHex,
  verifyBatch,
} from 'alvarium-sdk'
import { Completeness, checkpoints, isCheckpoint, verifyCheckpoint } from 'alvarium-sdk/completeness'
import { outbox } from 'alvarium-sdk/outbox'
import { pool, type WorkerPool } from 'alvarium-sdk/pool'
import { leased, readTrust } from 'alvarium-sdk/trust'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import type { TestBroker } from '../brokers/brokers.js'
import { startMosquitto } from '../brokers/mosquitto.js'
import { witness } from '../brokers/witness.js'
import { randomFrom } from '../support/alterations-of-store.js'
import { utf8 } from '../support/bytes.js'
import { soon } from '../support/deferred.js'
import { newPlace } from '../support/places.js'

const OPTIONS = ['batch', 'outbox', 'leases', 'pool', 'policy'] as const
/** Options in use, of an SDK and of its consumer. */
type Chosen = ReadonlySet<(typeof OPTIONS)[number]>

/** Every subset of these options. */
const CHOICES: Chosen[] = Array.from(
  { length: 2 ** OPTIONS.length },
  (_, bits) => new Set(OPTIONS.filter((_, at) => bits & (1 << at))),
)
const nameOf = (chosen: Chosen) => [...chosen].join(', ') || 'no options'

let broker: TestBroker
let workers: WorkerPool
let topics = 0
beforeAll(async () => {
  broker = await startMosquitto()
  workers = await pool({ workers: 2 })
})
afterAll(async () => {
  await workers.close()
  await broker.stop()
})

/** A call, and the positions of the keys that may sign it: a call during a rotation may have either key. */
interface CallInLoad {
  readonly min: number
  readonly max: number
  readonly receipt: Promise<Receipt>
}

/** Opens an SDK with these options, and rotates its key so often during calls. */
async function rotateUnderLoad(chosen: Chosen, rotations: number, random: (below: number) => number) {
  const topic = `t${++topics}`
  const consumers = [await witness(broker.url, topic), await witness(broker.url, `${topic}/signers`)] as const
  for (const consumer of consumers) onTestFinished(consumer.close)
  const to = (topic: string) => {
    const stream = mqtt({ url: broker.url, topic })
    return chosen.has('outbox') ? outbox({ stream, store: newPlace() }) : stream
  }
  const keys = Array.from({ length: rotations + 1 }, () => generateKey())
  const signingKeys = keys.map(({ signingKey }) =>
    chosen.has('leases') ? leased(signingKey, { stream: to(`${topic}/signers`) }) : signingKey,
  )
  const slow = {
    kind: 'slow',
    isSatisfied: () => new Promise<boolean>((resolve) => soon(() => resolve(true))),
  }
  const sdk = await openSdk({
    signingKey: signingKeys[0] as Uint8Array,
    annotators: [source(), ...(random(2) ? [slow] : [])],
    stream: to(topic),
    checkpoints: checkpoints({ stream: to(`${topic}/signers`), every: 16 }),
    ...(chosen.has('batch') && { batch: { maxBundles: 1 + random(8), maxDelayMs: 5 } }),
    ...(chosen.has('pool') && { pool: workers }),
  })
  const made: CallInLoad[] = []
  let [used, asked] = [0, 0]
  const call = () => made.push({ min: used, max: asked, receipt: sdk.create(utf8(`${made.length}`)) })
  while (used < rotations) {
    for (let calls = random(12); calls > 0; calls--) call()
    const rotated = sdk.rotate(signingKeys[++asked] as Uint8Array).then(() => {
      used = asked
    })
    for (let calls = random(24); calls > 0; calls--) {
      call()
      await new Promise<void>((resolve) => soon(resolve))
    }
    await rotated
  }
  call()
  await sdk.close()
  const [messages, control] = await Promise.all(consumers.map((consumer) => consumer.untilEnd()))
  const read = (texts: string[] = []) => texts.map((text) => utf8(text))
  return { keys, made, messages: read(messages), control: read(control) }
}
type Outcome = Awaited<ReturnType<typeof rotateUnderLoad>>

/** Opens keyrings of the consumer: with all keys, and with each alone. */
async function keyringsOf({ keys }: Outcome, chosen: Chosen) {
  const texts = keys.map(({ verifyingKey }) => toHex(verifyingKey))
  const open = (some: string[]) => {
    if (chosen.has('policy')) return readTrust({ signers: [{ name: 'gateway-1', keys: some }] })
    if (!chosen.has('leases')) return new Keyring(some)
    return readTrust({ signers: some.map((text) => ({ name: text, keys: [text] })) })
  }
  return { all: await open(texts), each: await Promise.all(texts.map((text) => open([text]))) }
}

/** Returns the positions of keys that may sign all of these calls. */
const bounds = (calls: readonly CallInLoad[]) =>
  [Math.max(...calls.map(({ min }) => min)), Math.min(...calls.map(({ max }) => max))] as const

const UNKNOWN = (error: AlvariumError): [] => {
  if (error.code !== 'SIGNER_UNKNOWN') throw error
  return []
}

/** Checks that no message is lost, that each has the key in use, and that checkpoints confirm that the run is complete. */
async function assertWhole(outcome: Outcome, chosen: Chosen) {
  const { keys, made, messages, control } = outcome
  const notes = control.filter(isCheckpoint)
  const leases = chosen.has('leases') && control.filter((message) => !isCheckpoint(message))
  const reading = leases ? { leases } : {}
  const { all, each } = await keyringsOf(outcome, chosen)
  const completeness = new Completeness()
  for (const note of notes)
    completeness.addCheckpoint(await verifyCheckpoint(note, { keyring: all, ...reading }))
  const ranges = new Map<string, CallInLoad>()
  for (const one of made) ranges.set((await one.receipt).id, one)
  const received = new Set<string>()
  for (const message of messages) {
    const bundles = await verifyBatch(message, { keyring: all, ...reading })
    completeness.addMessage(message, bundles)
    if (chosen.has('policy')) expect(bundles[0]?.signedBy?.name).toBe('gateway-1')
    const [min, max] = bounds(bundles.map(({ id }) => ranges.get(id) as CallInLoad))
    const verifies = (at: number) =>
      verifyBatch(message, { keyring: each[at] as Keyring, ...reading }).then(() => [at], UNKNOWN)
    const positions = keys.map((_, at) => at).slice(Math.max(min - 1, 0), max + 2)
    const [signer, ...others] = (await Promise.all(positions.map(verifies))).flat()
    expect(others).toEqual([])
    expect(signer).toBeGreaterThanOrEqual(min)
    expect(signer).toBeLessThanOrEqual(max)
    for (const { id } of bundles) {
      expect(received.has(id)).toBe(false)
      received.add(id)
    }
  }
  expect(received.size).toBe(made.length)
  const report = completeness.report()
  expect(report.map(({ verdict }) => verdict)).toEqual(keys.map(() => 'complete'))
  const runs = report.flatMap(({ runs }) => runs)
  expect(runs.map(({ hasEnded }) => hasEnded)).toEqual(keys.map(() => true))
  expect(new Set(runs.map(({ keyId }) => keyId)).size).toBe(keys.length)
}

/** Half of the subsets: any four options occur in each combination, and one subset has all five. */
const HALF = CHOICES.filter(({ size }) => size % 2 === 1)

it.each(HALF.map((chosen) => [nameOf(chosen), chosen] as const))(
  'rotate() under load loses no call, and the checkpoints of all keys are complete: %s',
  async (_, chosen) => {
    await assertWhole(await rotateUnderLoad(chosen, 2, randomFrom(CHOICES.indexOf(chosen))), chosen)
  },
)

it.each(
  [2, 5, 12].map((seed) => {
    const random = randomFrom(seed)
    const chosen = CHOICES[random(CHOICES.length)] as Chosen
    return [seed, nameOf(chosen), chosen, random] as const
  }),
)('30 rotations under load with random options lose no call: seed %i, %s', async (_, __, chosen, random) => {
  await assertWhole(await rotateUnderLoad(chosen, 30, random), chosen)
})
