import {
  AlvariumError,
  keyOf,
  type Signer,
  signBytes,
  source,
  type VerifiedBundle,
  verifyMessage,
} from 'alvarium-sdk'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { concat, isSame, textOf, utf8 } from '../support/bytes.js'
import { genuineMessages, payload } from '../support/messages.js'
import { runs } from '../support/runs.js'
import { key, keyring, opened, yes } from '../support/sdk.js'

const genuine = Object.values(await genuineMessages())
const bundles = await Promise.all(genuine.map((message) => verifyMessage(message, { keyring })))
const CODES = ['MESSAGE_MALFORMED', 'SIGNER_UNKNOWN', 'SIGNATURE_INVALID']

/**
 * Returns the bundle that a verifier finds in any bytes, or undefined for one of the three codes. Other errors fail
 * the test.
 */
async function judged(message: Uint8Array): Promise<VerifiedBundle | undefined> {
  try {
    return await verifyMessage(message, { keyring })
  } catch (error) {
    if (!(error instanceof AlvariumError) || !CODES.includes(error.code)) throw error
    return undefined
  }
}

/**
 * Returns whether altered bytes verify. They may have the same meaning (white space, another escape of the same
 * character): the bundle must then equal the signed one, and so must the output of JSON.parse.
 */
async function judgedAltered(message: Uint8Array): Promise<boolean> {
  const bundle = await judged(message)
  if (!bundle) return false
  expect(bundles).toContainEqual(bundle)
  const { action, content } = JSON.parse(textOf(message))
  const { signature, ...claims } = content
  const { id, ...said } = bundle
  expect({ action, ...claims, payloadChecked: false }).toEqual(said)
  expect(signature).toMatch(/^[0-9a-f]{128}$/)
  return true
}

const stillWorks = async () => {
  const verdicts = await Promise.all(genuine.map((message) => verifyMessage(message, { keyring })))
  expect(verdicts).toEqual(bundles)
}

const message = fc.constantFrom(...genuine)
const place = fc.nat({ max: 2000 })
const mutations = fc.oneof(
  fc.record({ message, at: place, bit: fc.nat({ max: 7 }) }).map(({ message, at, bit }) => {
    const flipped = Uint8Array.from(message)
    const where = at % flipped.length
    flipped[where] = (flipped[where] ?? 0) ^ (1 << bit)
    return flipped
  }),
  fc.record({ message, at: place, byte: fc.nat({ max: 255 }) }).map(({ message, at, byte }) => {
    const where = at % (message.length + 1)
    return concat(message.subarray(0, where), new Uint8Array([byte]), message.subarray(where))
  }),
  fc
    .record({ message, at: place, length: fc.integer({ min: 1, max: 40 }) })
    .map(({ message, at, length }) => {
      const where = at % message.length
      return concat(message.subarray(0, where), message.subarray(where + length))
    }),
  fc
    .record({ message, at: place, length: fc.integer({ min: 1, max: 200 }) })
    .map(({ message, at, length }) => {
      const where = at % message.length
      const range = message.subarray(where, where + length)
      return concat(message.subarray(0, where), range, message.subarray(where))
    }),
  fc
    .record({ message, other: message, from: place, to: place })
    .map(({ message, other, from, to }) =>
      concat(message.subarray(0, from % message.length), other.subarray(to % other.length)),
    ),
  fc
    .record({
      message,
      at: place,
      text: fc.constantFrom('true', '"', '\\', '\\u0000', '{', '}', ',', '[]', 'null', ' '),
    })
    .map(({ message, at, text }) => {
      const where = at % message.length
      return concat(message.subarray(0, where), utf8(text), message.subarray(where))
    }),
)
const isGenuine = (bytes: Uint8Array) => genuine.some((message) => isSame(message, bytes))

describe('an altered copy of a genuine message', () => {
  it('is refused, or states only what the genuine message states', async () => {
    let refused = 0
    const check = fc.asyncProperty(mutations, async (bytes) => {
      fc.pre(!isGenuine(bytes))
      if (!(await judgedAltered(bytes))) refused++
    })
    const tried = runs(3_000)
    await fc.assert(check, tried)
    expect(refused).toBeGreaterThan(0.9 * tried.numRuns)
    await stillWorks()
  })

  it('is refused, or states only what the genuine message states, even if several bytes are altered', async () => {
    const edits = fc.array(fc.tuple(place, fc.nat({ max: 255 })), { minLength: 2, maxLength: 12 })
    const check = fc.asyncProperty(message, edits, async (original, edits) => {
      const bytes = Uint8Array.from(original)
      for (const [at, byte] of edits) bytes[at % bytes.length] = byte
      await judgedAltered(bytes)
    })
    await fc.assert(check, runs(2000))
    await stillWorks()
  })
})

describe('a message with white space between its members', () => {
  it('verifies nevertheless', async () => {
    const space = fc.stringMatching(/^[ \t\r\n]{0,5}$/)
    const check = fc.asyncProperty(
      message,
      fc.array(space, { minLength: 60, maxLength: 60 }),
      async (original, spaces) => {
        let at = 0
        const spaced = textOf(original).replace(
          /(?<=^|[{,:[\]}"])(?=[{}[\],"])|(?<=[,[{])|(?=[}\],])/g,
          (hit, offset: number, whole: string) =>
            isInsideText(whole, offset) ? hit : (spaces[at++ % spaces.length] ?? ''),
        )
        expect(await judgedAltered(utf8(spaced))).toBe(true)
      },
    )
    await fc.assert(check, runs(200))
  })
})

describe('verifyMessage', () => {
  it('never accepts random bytes as a message', async () => {
    const check = fc.asyncProperty(fc.uint8Array({ maxLength: 500 }), async (bytes) => {
      expect(await judged(bytes)).toBeUndefined()
    })
    await fc.assert(check, runs(2000))
    await stillWorks()
  })

  it('never accepts a message in which random JSON replaces a member', async () => {
    const [create] = genuine
    const template = JSON.parse(textOf(create as Uint8Array))
    const members = fc.constantFrom(...Object.keys(template), ...Object.keys(template.content))
    const check = fc.asyncProperty(members, fc.json(), async (member, json) => {
      const value: unknown = JSON.parse(json)
      const copy = structuredClone(template)
      const owner = member in copy ? copy : copy.content
      fc.pre(JSON.stringify(owner[member]) !== JSON.stringify(value))
      owner[member] = value
      expect(await judged(utf8(JSON.stringify(copy)))).toBeUndefined()
      expect(await judged(utf8(json))).toBeUndefined()
    })
    await fc.assert(check, runs(2000))
    await stillWorks()
  })

  // claim: security-2
  it('never accepts random bytes as the payload of a genuine message', async () => {
    const check = fc.asyncProperty(message, fc.uint8Array({ maxLength: 2000 }), async (message, other) => {
      fc.pre(!isSame(other, payload))
      await expect(verifyMessage(message, { keyring, payload: other })).rejects.toMatchObject({
        code: 'PAYLOAD_MISMATCH',
      })
    })
    await fc.assert(check, runs(500))
  })
})

describe('any texts as host, tag, kind and payload', () => {
  const text = (maxLength: number) => fc.string({ unit: 'binary', maxLength })
  const signer = {
    verifyingKey: key.verifyingKey,
    sign: (identity) => signBytes(key.signingKey, identity),
  } satisfies Signer

  it('are unchanged after signing and verifying', async () => {
    const kinds = fc.array(fc.string({ unit: 'binary', minLength: 1, maxLength: 60 }), { maxLength: 5 })
    const settings = fc.record({
      host: text(60),
      tag: text(250),
      kinds,
      payload: text(200),
      signingKey: fc.constantFrom(key.signingKey, signer),
    })
    const check = fc.asyncProperty(settings, async ({ kinds, payload, ...names }) => {
      fc.pre(!kinds.includes('signal'))
      const { sdk, verified } = await opened([source(), ...kinds.map(yes)], { ...names, hash: 'none' })
      const receipt = await sdk.create(utf8(payload))
      const bundle = await verified(utf8(payload))
      expect(bundle).toMatchObject({ ...receipt.bundle, host: names.host, key: payload })
      const expected = ['src', ...kinds].map((kind) => ({ kind, tag: names.tag, isSatisfied: true }))
      expect(bundle.annotations).toMatchObject(expected)
      expect(keyOf(utf8(payload), 'none')).toBe(payload)
      await sdk.close()
    })
    await fc.assert(check, runs(500))
  })
})

/** Returns whether a place in a JSON text is between the quotation marks of a string without escapes. */
function isInsideText(json: string, at: number): boolean {
  return json.slice(0, at).split('"').length % 2 === 0
}
