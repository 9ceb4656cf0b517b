import {
  type ClassicMessage,
  generateKey,
  Keyring,
  keyIdOf,
  signBytes,
  toHex,
  verifyClassic,
} from 'alvarium-sdk'
import { readTrust } from 'alvarium-sdk/trust'
import { describe, expect, it } from 'vitest'
import { textOf, utf8 } from '../support/bytes.js'
import { caseOf, everyCase, keyringOf, listOf, withList } from '../support/classic.js'
import { vectorBytes } from '../support/vectors.js'

// Messages that the Go, Java, Rust and Python SDKs published, under keys that fit and keys that do not.

const { message: go, payload: hello } = caseOf('go', 'create-hello')
const stranger = new Keyring([generateKey().verifyingKey])
const goKeys = keyringOf('go')
const items = listOf(go).match(/\{"id".*?\}/g) ?? []
const [first = '', second = '', third = ''] = items

const withItems = (...some: string[]) => withList(go, () => `{"items":[${some.join(',')}]}`)
const flipped = (item: string) =>
  item.replace(/"isSatisfied":(true|false)/, (_, was) => `"isSatisfied":${was !== 'true'}`)
/** Returns an annotation that someone else has signed by the same rules. */
function resigned(item: string, { signingKey } = generateKey()): string {
  const signature = signBytes(signingKey, utf8(item.replace(/,"signature":"[^"]*"/, '')))
  return item.replace(/"signature":"[^"]*"/, `"signature":"${toHex(signature)}"`)
}

const codes = ({ annotations }: ClassicMessage) =>
  annotations.map((one) => (one.status === 'fulfilled' ? 'verified' : one.reason.code))
const THREE_UNKNOWN = ['SIGNER_UNKNOWN', 'SIGNER_UNKNOWN', 'SIGNER_UNKNOWN']
const NEEDS_KEY = /the sender's public key/

describe('a message of another SDK', () => {
  it.each(everyCase.filter(([, , { annotations }]) => annotations.length > 0))(
    'stays undecided without the public key of its sender, and is not called "altered": %s',
    async (_, __, { message }) => {
      const found = await verifyClassic(utf8(message), { keyring: stranger })
      expect(found.outcome).toBe('cannot tell')
      expect(found.needs).toMatch(NEEDS_KEY)
      expect(found.says).toMatch(/unknown signer: altered, or signed by a key that is not here/)
      expect(new Set(codes(found))).toEqual(new Set(['SIGNER_UNKNOWN']))
    },
  )

  it.each(everyCase.filter(([, , { annotations }]) => annotations.length > 0))(
    'has the outcome "holds" with the key of its sender, and needs nothing more: %s',
    async (_, dialect, { message }) => {
      const found = await verifyClassic(utf8(message), { keyring: keyringOf(dialect) })
      expect([found.outcome, found.needs]).toEqual(['holds', undefined])
      expect(found.says).toMatch(/^\d+ annotations?: \d+ verified/)
    },
  )

  it('stays undecided with an empty keyring, and with the key of another SDK', async () => {
    for (const keyring of [new Keyring([]), new Keyring(keyringOf('rust'))]) {
      const found = await verifyClassic(utf8(go), { keyring })
      expect([found.outcome, codes(found)]).toEqual(['cannot tell', THREE_UNKNOWN])
    }
  })

  it('stays undecided when all annotations were altered, even for a reader with the key of its sender', async () => {
    const found = await verifyClassic(withItems(...items.map(flipped)), { keyring: goKeys })
    expect([found.outcome, codes(found)]).toEqual(['cannot tell', THREE_UNKNOWN])
  })

  it('is not compared with a payload if no annotation verifies, because then no signature shows which payload it is about', async () => {
    const found = await verifyClassic(utf8(go), { keyring: stranger, payload: utf8('another') })
    expect([found.outcome, codes(found)]).toEqual(['cannot tell', THREE_UNKNOWN])
  })

  it('has the outcome "does not hold" when one annotation breaks the format, no matter who signed it', async () => {
    const found = await verifyClassic(withItems(first, second.replace('sha256', 'sha512')), {
      keyring: stranger,
    })
    expect([found.outcome, codes(found)]).toEqual(['does not hold', ['SIGNER_UNKNOWN', 'MESSAGE_MALFORMED']])
    expect(found.needs).toBeUndefined()
  })

  it('stays undecided without annotations, as nothing in it is signed', async () => {
    for (const list of ['{"items":[]}', '{}']) {
      const found = await verifyClassic(
        withList(go, () => list),
        { keyring: goKeys },
      )
      expect([found.outcome, found.annotations]).toEqual(['cannot tell', []])
      expect(found.says).toBe('no annotations: nothing of it is signed')
      expect(found.needs).toMatch(/a message with annotations/)
    }
  })

  it('stays undecided under a trust policy that has other signers', async () => {
    const keys = [{ key: toHex(generateKey().verifyingKey) }]
    await using trust = await readTrust({ signers: [{ name: 'other', keys }] })
    const found = await verifyClassic(utf8(go), { keyring: trust })
    expect([found.outcome, codes(found)]).toEqual(['cannot tell', THREE_UNKNOWN])
  })
})

describe('a message of another SDK with one annotation that a given key verifies', () => {
  it.each([
    ['before', [first, flipped(second)], ['verified', 'SIGNATURE_INVALID']],
    ['after', [flipped(first), second], ['SIGNATURE_INVALID', 'verified']],
    [
      'on both sides of',
      [flipped(first), second, flipped(third)],
      ['SIGNATURE_INVALID', 'verified', 'SIGNATURE_INVALID'],
    ],
  ])(
    'has the outcome "does not hold" with an altered annotation %s the verified one',
    async (_, some, verdicts) => {
      const found = await verifyClassic(withItems(...some), { keyring: goKeys })
      expect([found.outcome, codes(found)]).toEqual(['does not hold', verdicts])
    },
  )

  it('has the outcome "does not hold" if another annotation is signed by a key that the reader lacks', async () => {
    const found = await verifyClassic(withItems(first, resigned(second)), { keyring: goKeys })
    expect([found.outcome, codes(found)]).toEqual(['does not hold', ['verified', 'SIGNATURE_INVALID']])
  })

  it('has the outcome "holds" with the key of each annotation', async () => {
    const other = generateKey()
    const keyring = new Keyring([...goKeys, other.verifyingKey])
    const found = await verifyClassic(withItems(first, resigned(second, other)), { keyring })
    expect(found.outcome).toBe('holds')
    expect(found.annotations).toMatchObject([{ value: {} }, { value: { signer: other.keyId } }])
  })

  it('has the outcome "does not hold" for another payload, even if another annotation was altered', async () => {
    const found = await verifyClassic(withItems(first, flipped(second)), {
      keyring: goKeys,
      payload: utf8('another'),
    })
    expect(codes(found)).toEqual(['PAYLOAD_MISMATCH', 'SIGNATURE_INVALID'])
    expect(found.outcome).toBe('does not hold')
    expect((await verifyClassic(utf8(go), { keyring: goKeys, payload: hello })).outcome).toBe('holds')
  })

  it('has the outcome "does not hold" if the policy has revoked the signer of that annotation', async () => {
    const [key = ''] = goKeys.map(textOf)
    const revoked = { since: '2020-01-01T00:00:00Z' }
    await using trust = await readTrust({ signers: [{ name: 'go', revoked, keys: [{ key }] }] })
    const found = await verifyClassic(withItems(first, flipped(second)), { keyring: trust })
    expect(codes(found)).toEqual(['SIGNER_REVOKED', 'SIGNATURE_INVALID'])
    expect(found.outcome).toBe('does not hold')
  })

  it('does not have the outcome "holds" if annotations of the Java SDK are labelled as annotations of the Go SDK', async () => {
    const { message: java } = caseOf('java', 'base-create-pki-utf8seed-tag')
    const { content } = JSON.parse(java)
    const { messageType } = JSON.parse(go)
    const relabelled = utf8(JSON.stringify({ action: 'create', messageType, content }))
    const found = await verifyClassic(relabelled, { keyring: [...goKeys, ...keyringOf('java')] })
    expect(found.outcome).not.toBe('holds')
  })
})

describe('the limit on the search for signers of classic annotations', () => {
  it('leaves a genuine annotation undecided if earlier annotations have exhausted the limit', async () => {
    const many = Array.from({ length: 2050 }, () => generateKey().verifyingKey)
    const keyring = new Keyring([...many, ...goKeys])
    const found = await verifyClassic(withItems(flipped(first), flipped(second), third), { keyring })
    expect([found.outcome, codes(found)]).toEqual(['cannot tell', THREE_UNKNOWN])
    expect(found.needs).toMatch(/the sender's public key, among fewer/)
  })

  it('leaves an annotation undecided even if other annotations verify', async () => {
    const many = Array.from({ length: 2050 }, () => generateKey().verifyingKey)
    const keyring = new Keyring([...many, ...goKeys])
    const found = await verifyClassic(withItems(third, flipped(first), flipped(second)), { keyring })
    expect(codes(found)).toEqual(['verified', 'SIGNATURE_INVALID', 'SIGNER_UNKNOWN'])
    expect(found.outcome).toBe('does not hold')
  })
})

it('the signer of a verified annotation is the key that verified it, whatever other keys are given', async () => {
  const keyring = new Keyring([generateKey().verifyingKey, ...goKeys])
  const { annotations } = await verifyClassic(utf8(go), { keyring })
  const signers = annotations.map((one) => (one.status === 'fulfilled' ? one.value.signer : ''))
  expect(new Set(signers)).toEqual(new Set([keyIdOf(vectorBytes('keys/go-public.key'))]))
})
