// @node-only: it is about limits, of which V8 has the lower ones: Node's engine, too

import {
  cbor,
  extractBundle,
  extractBundles,
  generateKey,
  Keyring,
  loadAlgorithms,
  source,
  verifyBatch,
  verifyMessage,
  verifyMessages,
} from 'alvarium-sdk'
import { beforeAll, describe, expect, it } from 'vitest'
import { patient, payloads } from '../support/batches.js'
import { textOf, utf8 } from '../support/bytes.js'
import { codeOf, failure } from '../support/failure.js'
import { key, keyring, opened } from '../support/sdk.js'
import { countedTurns } from '../support/turns.js'

const BUNDLES = 4000
/** A text that looks like the end of a bundle and the beginning of the next, or the end of all of them. */
const TAG = '},{"action":"create","]}}\\'

let message: Uint8Array
let ids: readonly string[]
let text: string

beforeAll(async () => {
  const { sdk, stream } = await opened([source()], {
    tag: TAG,
    batch: { ...patient, maxBundles: BUNDLES, maxBytes: 2 ** 23 },
  })
  const receipts = await Promise.all(payloads(BUNDLES).map((payload) => sdk.create(payload)))
  await sdk.close()
  message = stream.messages[0] as Uint8Array
  ids = receipts.map(({ id }) => id)
  text = textOf(message)
})

function inTheMiddle(whole: string, before: string, after: string): string {
  const at = whole.indexOf(before, 900_000)
  return whole.slice(0, at) + after + whole.slice(at + before.length)
}

const verdict = (changed: string) => codeOf(() => verifyBatch(utf8(changed), { keyring }))

describe('a long batch', () => {
  it('is verified in parts, with turns of the event loop between them', async () => {
    expect(message.length).toBeGreaterThan(4 * 256 * 1024)
    const turns = await countedTurns(10)
    const bundles = await verifyBatch(message, { keyring })
    turns.end()
    expect(turns.count).toBeGreaterThan(2 * Math.floor(message.length / (320 * 1024)))
    expect(bundles.map(({ id }) => id)).toEqual(ids)
    expect(bundles[17]).toMatchObject({
      action: 'create',
      signer: new Keyring([key.verifyingKey]).keyIds[0],
      payloadChecked: false,
    })
  })

  it('has the same content if the JSON has white space, or members in another order', async () => {
    const { action: _, ...envelope } = JSON.parse(text)
    const { signature, signer, bundles } = envelope.content
    const turned = bundles.map(({ action, ...claims }: { action: string }) => ({ ...claims, action }))
    const written = [
      JSON.stringify(envelope, null, 1),
      JSON.stringify({ content: { bundles: turned, signer, signature }, messageType: envelope.messageType }),
    ]
    for (const one of written) {
      expect((await verifyBatch(utf8(one), { keyring })).map(({ id }) => id)).toEqual(ids)
    }
  })

  // claim: delivery-13
  it.each([
    ['in the first bundle', 0],
    ['in a middle bundle', BUNDLES / 2],
    ['in the last bundle', BUNDLES - 1],
  ])('is refused as a whole with an alteration %s', async (_, at) => {
    const altered = JSON.parse(text)
    altered.content.bundles[at].host += 'x'
    expect(await verdict(JSON.stringify(altered))).toBe('SIGNATURE_INVALID')
  })

  it.each<[string, (bundles: unknown[]) => unknown[]]>([
    ['two bundles are swapped', ([first, ...others]) => [others.at(-1), ...others.slice(0, -1), first]],
    ['a bundle is missing', (bundles) => bundles.toSpliced(2000, 1)],
    ['a bundle is repeated', (bundles) => [...bundles, bundles[0]]],
  ])('is refused as a whole when %s', async (_, change) => {
    const altered = JSON.parse(text)
    altered.content.bundles = change(altered.content.bundles)
    expect(await verdict(JSON.stringify(altered))).toBe('SIGNATURE_INVALID')
  })

  it('is refused with a signature of another batch', async () => {
    const altered = JSON.parse(text)
    altered.content.signature = altered.content.signature.replace(/^../, (two: string) =>
      two === '00' ? '01' : '00',
    )
    expect(await verdict(JSON.stringify(altered))).toBe('SIGNATURE_INVALID')
  })

  it.each<[string, (whole: string) => string]>([
    [
      'a bundle in the middle has a member that does not exist',
      (whole) => inTheMiddle(whole, '{"action"', '{"x":1,"action"'),
    ],
    [
      'it has two signers',
      (whole) => whole.replace(/\]\}\}$/, '],"signer":"00000000000000000000000000000000"}}'),
    ],
    ['text follows its end', (whole) => `${whole}{}`],
    ['its end is missing', (whole) => whole.slice(0, -1)],
    ['it ends in the middle', (whole) => whole.slice(0, 700_001)],
    ['a comma is missing', (whole) => inTheMiddle(whole, ']},{', ']}{')],
    ['it has a comma too many', (whole) => whole.replace(/\]\}\}$/, ',]}}')],
    ['it is of another kind', (whole) => whole.replace('AnnotationBatch', 'AnnotationBundle')],
  ])('is malformed when %s', async (_, change) => {
    const changed = change(text)
    expect(changed).not.toBe(text)
    expect(await verdict(changed)).toBe('MESSAGE_MALFORMED')
  })

  it.each([
    ['has no array', '"'.repeat(3 * 2 ** 20)],
    ['ends with the beginning of an array', `${' '.repeat(200_000)}[`.padStart(3 * 2 ** 20, 'x')],
    ['ends after a comma', `{"a":[${'1,'.repeat(2 ** 21)}`],
    ['consists of opening brackets', '['.repeat(2 ** 24)],
    ['has one string', `["${'}'.repeat(2 ** 24 - 2)}`],
  ])('is malformed, without an internal error, when its text %s', async (_, whole) => {
    expect(await verdict(whole)).toBe('MESSAGE_MALFORMED')
  })

  it.each<[string, (whole: string, space: string) => string]>([
    ['before the list of bundles', (whole, space) => whole.replace('[', `${space}[`)],
    ['before the first bundle', (whole, space) => whole.replace('[', `[${space}`)],
    ['between two bundles', (whole, space) => inTheMiddle(whole, ']},{', `]},${space}{`)],
    ['after the last bundle', (whole, space) => whole.replace(/\]\}\}$/, `${space}]}}`)],
    ['at the end', (whole, space) => whole.replace(/\]\}\}$/, `]}}${space}`)],
  ])('has the same bundles with more white space than fits into one part: %s', async (_, change) => {
    const changed = change(text, ' '.repeat(3 * 2 ** 20))
    expect(changed.length).toBe(text.length + 3 * 2 ** 20)
    expect((await verifyBatch(utf8(changed), { keyring })).map(({ id }) => id)).toEqual(ids)
  })

  it('is refused with an error that names the malformed bundle', async () => {
    const changed = JSON.parse(text)
    changed.content.bundles[2500].layer = 'roof'
    const { message } = await failure(() => verifyBatch(utf8(JSON.stringify(changed)), { keyring }))
    const [, inPart, before] =
      /bundles\[(\d+)\]: message: layer: expected .* \(indexes count from bundle (\d+), where this part of the message begins\)$/.exec(
        message,
      ) ?? []
    expect(Number(inPart) + Number(before)).toBe(2500)
  })

  it('may have no more than 65,536 bundles', async () => {
    const short = JSON.parse(text)
    const [bundle] = short.content.bundles
    short.content.bundles = Array(65_537).fill({
      ...bundle,
      key: '',
      hash: 'none',
      host: '',
      annotations: [],
    })
    const { code, message } = await failure(() => verifyBatch(utf8(JSON.stringify(short)), { keyring }))
    expect([code, message]).toEqual(['MESSAGE_MALFORMED', expect.stringContaining('at most 65536')])
  })

  it('is refused without further reading if its signer is unknown', async () => {
    const turns = await countedTurns(0.01)
    const strangers = { keyring: [generateKey().verifyingKey] }
    const changed = `${text.slice(0, 700_000)}nonsense${text.slice(700_000)}`
    expect(await codeOf(() => verifyBatch(utf8(changed), strangers))).toBe('SIGNER_UNKNOWN')
    turns.end()
  })

  it('is verified correctly among small messages and invalid messages', async () => {
    const { sdk, stream } = await opened([source()])
    await sdk.create(utf8('small'))
    await sdk.close()
    const small = stream.messages[0] as Uint8Array
    const bad = utf8(text.replace('"layer":"app"', '"layer":"os"'))
    const all = await verifyMessages([small, message, bad, new Uint8Array(), small], { keyring })
    expect(all.map((one) => (one.status === 'fulfilled' ? one.value.length : one.reason.code))).toEqual([
      1,
      BUNDLES,
      'SIGNATURE_INVALID',
      'MESSAGE_MALFORMED',
      1,
    ])
  })

  it('has the same content in CBOR as in JSON', async () => {
    const codec = cbor()
    const bundles = await verifyBatch(codec.encode(message), { keyring, codec })
    expect(bundles.map(({ id }) => id)).toEqual(ids)
  })

  it('verifies with a P-256 key, and is refused as SIGNATURE_INVALID if altered', async () => {
    await loadAlgorithms()
    const { signingKey, verifyingKey } = await generateKey({ algorithm: 'P-256' })
    const options = { signingKey, batch: { ...patient, maxBundles: 1500, maxBytes: 2 ** 23 } }
    const { sdk, stream } = await opened([source()], options)
    const receipts = await Promise.all(payloads(1500).map((payload) => sdk.create(payload)))
    await sdk.close()
    const [other] = stream.messages as [Uint8Array]
    const bundles = await verifyBatch(other, { keyring: [key.verifyingKey, verifyingKey] })
    expect(bundles.map(({ id }) => id)).toEqual(receipts.map(({ id }) => id))
    const altered = utf8(textOf(other).replace('"layer":"app"', '"layer":"os"'))
    expect(await codeOf(() => verifyBatch(altered, { keyring: [verifyingKey] }))).toBe('SIGNATURE_INVALID')
  })
})

describe('a loop over all bundles of a long batch', () => {
  function malformed(): Uint8Array {
    const changed = JSON.parse(text)
    changed.content.bundles[2500].layer = 'roof'
    return utf8(JSON.stringify(changed))
  }

  // claim: batches-5
  it('gets the bundles in parts, with turns of the event loop between them', async () => {
    const turns = await countedTurns(10)
    const taken: string[] = []
    for await (const one of extractBundles(message)) taken.push(textOf(one))
    turns.end()
    expect(turns.count).toBeGreaterThan(2 * Math.floor(message.length / (320 * 1024)))
    expect(taken).toEqual(Array.from(extractBundles(message), textOf))
    for (const at of [0, 1, 2500, BUNDLES - 1]) expect(taken[at]).toBe(textOf(extractBundle(message, at)))
  })

  it('gets the error, which names the malformed bundle, before it gets the first bundle', async () => {
    const where = /indexes count from bundle [1-9]/
    expect(() => extractBundles(malformed()).next()).toThrow(where)
    const later = extractBundles(malformed())[Symbol.asyncIterator]()
    await expect(later.next()).rejects.toThrow(where)
  })

  it('throws if the batch has more than 65,536 bundles', () => {
    const short = JSON.parse(text)
    const [bundle] = short.content.bundles
    const bare = { ...bundle, key: '', hash: 'none', host: '', annotations: [] }
    short.content.bundles = Array(65_537).fill(bare)
    expect(() => extractBundles(utf8(JSON.stringify(short))).next()).toThrow('at most 65536')
  })

  it('reads no further part of the batch after the caller has left the loop', async () => {
    const bundles = extractBundles(message)
    for await (const first of bundles) {
      expect(textOf(first)).toBe(textOf(extractBundle(message, 0)))
      break
    }
    expect(bundles.next()).toEqual({ done: true, value: undefined })
  })
})

it('a single bundle that is as long as a large batch is verified as a whole', async () => {
  const { sdk, stream } = await opened([source()], { hash: 'none' })
  await sdk.create(new Uint8Array(65_536).fill(1))
  await sdk.close()
  const [message] = stream.messages as [Uint8Array]
  expect(message.length).toBeGreaterThan(256 * 1024)
  expect((await verifyMessage(message, { keyring })).hash).toBe('none')
  const altered = utf8(textOf(message).replace('"layer":"app"', '"layer":"os"'))
  expect(await codeOf(() => verifyMessage(altered, { keyring }))).toBe('SIGNATURE_INVALID')
})
