// @node-only: above the connection, all is the same in every engine

import {
  classic,
  Keyring,
  type MixedSubscribeOptions,
  memory,
  mqtt,
  openDeadLetter,
  openSdk,
  type SubscriptionOptions,
  source,
  subscribe,
  verifyClassic,
  verifyMessage,
} from 'alvarium-sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TestBroker } from '../brokers/brokers.js'
import { startMosquitto } from '../brokers/mosquitto.js'
import { textOf, utf8 } from '../support/bytes.js'
import { DIALECTS, keyringOf, listOf } from '../support/classic.js'
import { failure } from '../support/failure.js'
import { closing, next, sender } from '../support/receiving.js'
import { key, lastOf, opened } from '../support/sdk.js'
import { classicCases } from '../support/vectors.js'

const payload = utf8('hello')
const keyring = new Keyring([key.verifyingKey, ...DIALECTS.flatMap(keyringOf)])
let broker: TestBroker
beforeAll(async () => {
  broker = await startMosquitto()
})
afterAll(() => broker.stop())

function recorded(dialect: (typeof DIALECTS)[number]): string {
  const fits = classicCases(dialect).find(
    ({ action, annotations }) => action === 'create' && annotations.length > 1,
  )
  return fits?.message ?? ''
}
const base64 = (text: string) => btoa(String.fromCharCode(...utf8(text)))
function altered(message: string, alter: (list: string) => string, action?: string): string {
  const { content, ...rest } = JSON.parse(message)
  const list = alter(listOf(message))
  return JSON.stringify({
    ...rest,
    ...(action && { action }),
    content: list === listOf(message) ? content : base64(list),
  })
}

/** Opens a subscription on a new topic, whose close does not wait for loops, and a sender to it. */
async function parties(
  topic: string,
  options: Partial<SubscriptionOptions & Pick<MixedSubscribeOptions, 'classic'>> = {},
) {
  const where = { url: broker.url, topic }
  const how = { keyring, classic: true, closeTimeoutMs: 50 } as const
  const given = closing(subscribe({ ...where, ...how, ...options, durable: false }))
  const rejected: string[] = []
  given.addEventListener('rejected', ({ error }) => rejected.push(error.code))
  await given.open()
  const raw = await sender(broker.url, topic)
  const send = (...messages: (string | Uint8Array)[]) =>
    Promise.all(messages.map((message) => raw.publish(typeof message === 'string' ? utf8(message) : message)))
  return { given, send, rejected }
}

async function ours() {
  const { sdk, stream } = await opened([source()])
  await sdk.create(payload)
  const alone = lastOf(stream)
  await sdk.createMany([payload, payload])
  return { alone, batch: lastOf(stream) }
}

describe('a subscription to the messages of all SDKs', () => {
  it('delivers bundles, batches and the classic messages of four SDKs in the order of arrival', async () => {
    const { given, send, rejected } = await parties('mixed')
    const { alone, batch } = await ours()
    const messages = DIALECTS.map(recorded)
    await send(alone, ...messages, batch)
    const all = await next(given[Symbol.asyncIterator](), 7)
    const dialects = all.map((one) => (one.format === 'bundle' ? `bundle ${one.index}` : one.dialect))
    expect(dialects).toEqual(['bundle 0', 'go', 'java', 'rust', 'python', 'bundle 0', 'bundle 1'])
    expect(new Set(all.map(({ id }) => id)).size).toBe(7)
    expect(rejected).toEqual([])
    for (const [at, one] of all.slice(1, 5).entries()) {
      expect(one).toMatchObject({ topic: 'mixed', index: 0, retain: false, dup: false })
      expect(textOf(one.message)).toBe(messages[at])
      const { annotations } = await verifyClassic(one.message, { keyring })
      expect(one.annotations).toEqual(annotations)
    }
  })

  it.each(DIALECTS)(
    'delivers a classic message of the dialect %s with the same id as its receipt',
    async (dialect) => {
      const { given, send } = await parties(`receipts-${dialect}`)
      const { sdk } = await opened([source()], { codec: classic({ signingKey: key.signingKey, dialect }) })
      const receipts = [await sdk.create(payload), await sdk.mutate(payload, utf8('b'))]
      await sdk.close()
      await send(...receipts.map(({ message }) => message))
      const all = await next(given[Symbol.asyncIterator](), 2)
      expect(all.map(({ id }) => id)).toEqual(receipts.map(({ id }) => id))
    },
  )

  it('delivers each annotation with its own verdict, if at least one verifies', async () => {
    const { given, send } = await parties('verdicts')
    const flip = (list: string) =>
      list.replace(/"isSatisfied":(true|false)/, (_, was) => `"isSatisfied":${was !== 'true'}`)
    await send(altered(recorded('go'), flip))
    const [one] = await next(given[Symbol.asyncIterator](), 1)
    if (one?.format !== 'classic') throw new Error('expected a classic message')
    const [first, ...others] = one.annotations
    expect(first).toMatchObject({ status: 'rejected', reason: { code: 'SIGNATURE_INVALID' } })
    expect(others.map(({ status }) => status)).toEqual(others.map(() => 'fulfilled'))
    expect(others).not.toEqual([])
  })

  const announced = (action: string, more: object = {}) =>
    JSON.stringify({ action, messageType: 'string', content: base64('0.0.4711'), ...more })

  it("skips the announcements of Go's SDK about Hedera topics, and rejects similar messages", async () => {
    const { given, send, rejected } = await parties('announced')
    const like = [
      announced('create'),
      announced('broadcast', { content: 7 }),
      announced('broadcast', { more: 1 }),
    ]
    await send(announced('broadcast'), announced('end-stream'), ...like, recorded('go'))
    const [one] = await next(given[Symbol.asyncIterator](), 1)
    expect(one?.format).toBe('classic')
    expect(given.skipped).toBe(2)
    expect(rejected).toEqual(like.map(() => 'MESSAGE_MALFORMED'))
  })

  // claim: migrating-2
  it('skips messages with an empty list of annotations if the option emptyLists permits them', async () => {
    const { given, send, rejected } = await parties('empty', { classic: { emptyLists: 'pass' } })
    await send(
      altered(recorded('go'), () => '{"items":[]}'),
      altered(recorded('go'), () => '{}'),
      recorded('java'),
    )
    const [one] = await next(given[Symbol.asyncIterator](), 1)
    expect(one).toMatchObject({ dialect: 'java' })
    expect([given.skipped, rejected]).toEqual([2, []])
  })

  it('refuses an unknown option, and names the closest one', async () => {
    const where = { url: broker.url, topic: 'slips', keyring, durable: false } as const
    const classic = { emptyList: 'pass' } as unknown as true
    const { code, message } = await failure(() => subscribe({ ...where, classic }))
    expect([code, message]).toEqual([
      'CONFIG_INVALID',
      'classic.emptyList: is not a known option (emptyLists?)',
    ])
  })

  // claim: threats-21
  it('rejects messages without a verified annotation, passes them to the dead letters, and continues', async () => {
    const deadLetter = memory()
    const { given, send, rejected } = await parties('strangers', { deadLetter })
    const stranger = altered(recorded('go'), (list) => list.replaceAll(/"kind":"\w/g, '"kind":"x'))
    const empty = altered(recorded('go'), () => '{"items":[]}')
    const spoilt = altered(recorded('go'), (list) => list.slice(1))
    await send(stranger, empty, spoilt, 'hello', recorded('go'))
    const [one] = await next(given[Symbol.asyncIterator](), 1)
    expect(one?.format).toBe('classic')
    expect(rejected).toEqual(['SIGNER_UNKNOWN', 'SIGNER_UNKNOWN', 'MESSAGE_MALFORMED', 'MESSAGE_MALFORMED'])
    const letters = deadLetter.messages.map((one) => openDeadLetter(one).message as Uint8Array)
    expect(letters.map(textOf)).toEqual([stranger, empty, spoilt, 'hello'])
  })

  // claim: threats-22
  it('with dedup delivers each message once, and a copy with another action as another message', async () => {
    const { given, send } = await parties('once', { dedup: {} })
    const message = recorded('rust')
    const moved = altered(message, (list) => list, 'transit')
    await send(moved, message, moved, message, recorded('java'))
    const all = await next(given[Symbol.asyncIterator](), 3)
    expect(all.map(({ action, message: one }) => [action, textOf(one) === message])).toEqual([
      ['transit', false],
      ['create', true],
      ['create', false],
    ])
  })

  it('lets the broker redeliver messages that were not settled', async () => {
    const { given, send } = await parties('again', { ack: 'manual' })
    await send(recorded('python'))
    const loop = given[Symbol.asyncIterator]()
    const [first] = await next(loop, 1)
    first?.nack()
    const [again] = await next(loop, 1)
    expect(again).toMatchObject({ id: first?.id, dup: true })
    await again?.ack()
  })

  // claim: threats-20
  it('interprets each message in one way only, and rejects an ambiguous message', async () => {
    const { given, send, rejected } = await parties('ambiguous')
    const [{ alone }, go] = [await ours(), recorded('go')]
    const [bundle, list] = [JSON.parse(textOf(alone)), JSON.parse(go)]
    const type = (name: string) => `"messageType":${JSON.stringify(name)}`
    const both = `${type(bundle.messageType)},${type(list.messageType)}`
    await send(
      go.replace(type(list.messageType), both),
      textOf(alone).replace(type(bundle.messageType), both),
      JSON.stringify({ ...list, messageType: bundle.messageType }),
      JSON.stringify({ ...bundle, messageType: list.messageType }),
      JSON.stringify({ ...bundle, items: list.content }),
      alone,
    )
    const [one] = await next(given[Symbol.asyncIterator](), 1)
    expect(textOf(one?.message ?? utf8(''))).toBe(textOf(alone))
    expect(rejected).toEqual(Array.from({ length: 5 }, () => 'MESSAGE_MALFORMED'))
    await expect(verifyMessage(utf8(go), { keyring })).rejects.toMatchObject({ code: 'MESSAGE_MALFORMED' })
    await expect(verifyClassic(alone, { keyring })).rejects.toMatchObject({ code: 'MESSAGE_MALFORMED' })
  })
})

it('a subscription reads the messages that this SDK writes for other SDKs', async () => {
  const { given } = await parties('written')
  const { signingKey } = key
  const stream = mqtt({ url: broker.url, topic: 'written' })
  const sdk = await openSdk({
    signingKey,
    annotators: [source()],
    tag: 't',
    stream,
    codec: classic({ signingKey }),
  })
  await sdk.mutate(payload, utf8('hello!'))
  await sdk.close()
  const [one] = await next(given[Symbol.asyncIterator](), 1)
  expect(one).toMatchObject({ format: 'classic', dialect: 'go', action: 'mutate' })
})

it('subscribe accepts true, false or options for classic', () => {
  const options = { url: broker.url, topic: 't', keyring, durable: false, classic: 'go' as never } as const
  expect(() => subscribe(options)).toThrow(
    'classic: expected true, false or an object with emptyLists, got a string',
  )
})
