// @node-only: above the connection, all is the same in every engine

import {
  type Finding,
  generateKey,
  mqtt,
  type Subscription,
  type SubscriptionOptions,
  subscribe,
} from 'alvarium-sdk'
import { completeness, type WatchOptions } from 'alvarium-sdk/completeness'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { brokers, type TestBroker } from '../brokers/brokers.js'
import { textOf, utf8 } from '../support/bytes.js'
import { loggedSdk } from '../support/checkpoints.js'
import { failure } from '../support/failure.js'
import { closing } from '../support/receiving.js'

const PATIENT = { graceMs: 0, silentMs: 3_600_000 }

describe.each(brokers)('a subscription that watches completeness, with $name', ({ start }) => {
  let broker: TestBroker
  beforeAll(async () => {
    broker = await start()
  })
  afterAll(() => broker.stop())

  /** Starts a loop, and returns its findings and a function that publishes. */
  async function watch(topic: string, given: Pick<SubscriptionOptions, 'keyring'>, options: WatchOptions) {
    const { url } = broker
    const where = { url, topic, durable: false, ...given } as const
    const bundles: Subscription = closing(subscribe({ ...where, completeness: completeness(options) }))
    await bundles.open()
    const ids: string[] = []
    void (async () => {
      for await (const { id } of bundles) ids.push(id)
    })()
    const [raw, notes] = [closing(mqtt({ url, topic })), closing(mqtt({ url, topic: `${topic}/signers` }))]
    await Promise.all([raw.connect(), notes.connect()])
    const publish = async (messages: readonly Uint8Array[]) => {
      for (const message of messages) await raw.publish(message)
    }
    const tell = async (checkpoints: readonly Uint8Array[]) => {
      for (const message of checkpoints) await notes.publish(message)
    }
    return { bundles, ids, publish, tell, found: nextOf(bundles) }
  }

  // claim: completeness-19
  it('reports missing messages, and no longer counts them after they have arrived late', async () => {
    const signer = await loggedSdk()
    for (let at = 0; at < 6; at++) await signer.sdk.create(Uint8Array.of(at))
    await signer.sdk.close()
    const { keyring, messages, notes } = signer
    const { bundles, publish, tell, found } = await watch('late', { keyring }, PATIENT)
    await publish(messages.toSpliced(2, 2))
    await tell(notes)
    const [checkpoint] = await signer.read()
    expect(await found).toMatchObject({
      kind: 'missing',
      signer: checkpoint?.signer,
      run: checkpoint?.run,
      messages: 2,
      bundles: 2,
      first: 2,
      last: 3,
      text: expect.stringMatching(/: 2 missing, positions 2 to 3, 20.*Z to 20.*Z$/),
    })
    expect(bundles.stats().completeness).toMatchObject({ missing: 2, backdated: 0, forked: 0 })
    await publish(messages.slice(2, 4))
    await expect.poll(() => bundles.stats().completeness?.missing).toBe(0)
  })

  it('delivers each checkpoint that verifies, so that it can be stored', async () => {
    const signer = await loggedSdk({}, { every: 2 })
    for (let at = 0; at < 4; at++) await signer.sdk.create(Uint8Array.of(at))
    await signer.sdk.close()
    const stored: Uint8Array[] = []
    const { keyring, messages, notes } = signer
    const onCheckpoint = async (checkpoint: Uint8Array) => void stored.push(checkpoint)
    const { ids, publish, tell } = await watch('stored', { keyring }, { ...PATIENT, onCheckpoint })
    await tell([utf8(`{"messageType":"alvarium.Checkpoint/1","content":"x"}`), ...notes])
    await publish(messages)
    await expect.poll(() => ids).toHaveLength(4)
    await expect.poll(() => stored.map(textOf)).toEqual(notes.map(textOf))
  })

  // claim: own-code-9
  it('ends with an error if the application cannot store a checkpoint, which the broker then redelivers', async () => {
    const signer = await loggedSdk()
    await signer.sdk.close()
    const onCheckpoint = () => {
      throw new Error('the disk is full')
    }
    const where = { url: broker.url, topic: 'full', keyring: signer.keyring, durable: false } as const
    const bundles = closing(subscribe({ ...where, completeness: completeness({ ...PATIENT, onCheckpoint }) }))
    await bundles.open()
    const notes = closing(mqtt({ url: broker.url, topic: 'full/signers' }))
    await notes.connect()
    const ended = failure(() => bundles[Symbol.asyncIterator]().next())
    await notes.publish(signer.notes[0] as Uint8Array)
    const { code, message } = await ended
    expect(code).toBe('STORE_FAILED')
    expect(message).toBe(
      'completeness.onCheckpoint: expected the function to accept the message, got: the disk is full',
    )
  })

  it('counts missing messages if the checkpoint that lists them is missing too', async () => {
    const signer = await loggedSdk({}, { every: 2 })
    for (let at = 0; at < 8; at++) await signer.sdk.create(Uint8Array.of(at))
    await signer.sdk.close()
    const { keyring, messages, notes } = signer
    const { publish, tell, found } = await watch('gap', { keyring }, PATIENT)
    await publish(messages.toSpliced(3, 1))
    await tell(notes.toSpliced(2, 1))
    expect(await found).toMatchObject({
      kind: 'missing',
      messages: 1,
      first: 2,
      last: 3,
      text: expect.stringContaining(': 1 missing between 2 and 3, '),
    })
  })

  // claim: completeness-16
  it('rejects a checkpoint of an unknown signer, and does not deliver it', async () => {
    const stranger = await loggedSdk()
    await stranger.sdk.create(Uint8Array.of(1))
    await stranger.sdk.close()
    const known = generateKey()
    const { bundles, ids, tell } = await watch('stranger', { keyring: [known.verifyingKey] }, PATIENT)
    const rejected = new Promise((resolve) =>
      bundles.addEventListener('rejected', ({ error }) => resolve(error.code)),
    )
    await tell(stranger.notes)
    expect(await rejected).toBe('SIGNER_UNKNOWN')
    expect(ids).toEqual([])
  })
})

function nextOf(bundles: Subscription): Promise<Finding> {
  return new Promise((resolve) =>
    bundles.addEventListener('incomplete', ({ finding }) => resolve(finding), { once: true }),
  )
}
