import { type Action, type HashName, type Layer, openSdk, signBytes } from 'alvarium-sdk'
import { describe, expect, it } from 'vitest'
import { fromHex, latin1, textOf, utf8 } from '../support/bytes.js'
import { key } from '../support/sdk.js'

interface Fields {
  readonly action: Action
  readonly payload: string
  readonly previous: string
  readonly hash: HashName
  readonly host: string
  readonly layer: Layer
  readonly tag: string
  readonly annotations: readonly { readonly kind: string; readonly isSatisfied: boolean }[]
}

const PLAIN: Fields = {
  action: 'create',
  payload: 'p',
  previous: 'q',
  hash: 'none',
  host: 'h',
  layer: 'app',
  tag: 't',
  annotations: [{ kind: 'k', isSatisfied: true }],
}

/** Returns the bytes that a custom signer receives for these fields. */
async function identityOf({ action, payload, previous, annotations, ...names }: Fields): Promise<Uint8Array> {
  const seen: Uint8Array[] = []
  const sign = (identity: Uint8Array) => {
    seen.push(Uint8Array.from(identity))
    return signBytes(key.signingKey, identity)
  }
  const annotators = annotations.map(({ kind, isSatisfied }) => ({ kind, isSatisfied: () => isSatisfied }))
  const signingKey = { verifyingKey: key.verifyingKey, sign }
  await using sdk = await openSdk({ signingKey, annotators, stream: { publish: () => {} }, ...names })
  if (action === 'mutate') await sdk.mutate(utf8(previous), utf8(payload))
  else await sdk[action](utf8(payload))
  const [identity] = seen
  if (!identity) throw new Error('expected identity bytes, got none')
  return identity
}

/** A ULID behind its length: the digits of a hash alone would look like one. */
const ULID = new RegExp(`(?<=${'\0\0\0\x1a'})[0-7][0-9A-HJKMNP-TV-Z]{25}`, 'g')
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z/g

/** Returns the identity bytes without the parts that differ in every call: ids and time. */
async function comparable(fields: Fields): Promise<string> {
  return latin1(await identityOf(fields))
    .replace(ULID, 'ULID')
    .replace(TIME, 'TIME')
}

/** Another value for each field, and other fields that it needs to have an effect. */
const OTHERS: Readonly<Record<string, readonly [other: Partial<Fields>, beside?: Partial<Fields>]>> = {
  action: [{ action: 'transit' }],
  payload: [{ payload: 'P' }],
  previous: [{ previous: 'Q' }, { action: 'mutate' }],
  hash: [{ hash: 'sha256' }],
  host: [{ host: '' }],
  layer: [{ layer: 'os' }],
  tag: [{ tag: 'T' }],
  'the kind of an annotation': [{ annotations: [{ kind: 'K', isSatisfied: true }] }],
  'an answer': [{ annotations: [{ kind: 'k', isSatisfied: false }] }],
  'how many annotations there are': [{ annotations: [] }],
}

// The crate's tests check that no two bundles have the same identity bytes. These tests check that all fields reach
// the core.
describe('the identity bytes', () => {
  // claim: threats-8
  it('are those that FORMAT.md specifies', async () => {
    const item = (value: string) => `\0\0\0${String.fromCharCode(value.length)}${value}`
    const fields = ['create', 'p'].map(item).join('')
    const rest = ['none', 'h', 'app'].map(item).join('')
    const [time, id] = ['\0\0\0\x1bTIME', '\0\0\0\x1aULID']
    const annotations = `\0\0\0\x01${id}${item('k')}${item('t')}\x01`
    expect(await comparable(PLAIN)).toBe(
      `alvarium.AnnotationBundle/1\n${fields}\0${rest}${time}${item(key.keyId)}${annotations}`,
    )
  })

  // claim: readme-4, threats-1
  it('differ if only one field differs', async () => {
    for (const [field, [other, beside]] of Object.entries(OTHERS)) {
      const one = { ...PLAIN, ...beside }
      expect(await comparable({ ...one, ...other }), field).not.toBe(await comparable(one))
    }
  })

  it('differ if a boundary between two fields moves, although the characters are the same', async () => {
    const kind = (kind: string) => ({ annotations: [{ kind, isSatisfied: true }] })
    const splits: ((left: string, right: string) => Partial<Fields>)[] = [
      (left, right) => ({ ...kind(left), tag: right }),
      (left, right) => ({ payload: left, host: right }),
      (left, right) => ({ action: 'mutate', payload: left, previous: right }),
      (left, right) => ({ host: left, ...kind(right) }),
      (left, right) => ({ annotations: [left, right].map((kind) => ({ kind, isSatisfied: true })) }),
    ]
    for (const split of splits) {
      const [one, other] = [split('a\u0000', '🚀b'), split('a', '\u0000🚀b')]
      expect(await comparable({ ...PLAIN, ...one })).not.toBe(await comparable({ ...PLAIN, ...other }))
    }
  })

  it('differ if a field imitates the lengths and fields that follow it', async () => {
    const length = (bytes: number) => textOf(fromHex(bytes.toString(16).padStart(8, '0')))
    const imitation = `h${length(3)}app`
    const pairs: [Partial<Fields>, Partial<Fields>][] = [
      [{ host: 'h' }, { host: imitation }],
      [
        { tag: 't', annotations: [{ kind: 'k', isSatisfied: true }] },
        { tag: `${length(1)}t`, annotations: [{ kind: 'k', isSatisfied: true }] },
      ],
      [
        { payload: 'p', action: 'create' },
        { payload: 'p', previous: '', action: 'mutate' },
      ],
      [{ annotations: [] }, { annotations: [{ kind: '\u0000', isSatisfied: false }] }],
      [{ host: '' }, { host: '\u0000' }],
    ]
    for (const [one, other] of pairs) {
      expect(await comparable({ ...PLAIN, ...one })).not.toBe(await comparable({ ...PLAIN, ...other }))
    }
  })
})
