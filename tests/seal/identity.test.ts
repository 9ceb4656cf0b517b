import { type Action, type HashName, type Layer, openSdk, signBytes } from 'alvarium-sdk'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fromHex, latin1, textOf, utf8 } from '../support/bytes.js'
import { runs } from '../support/runs.js'
import { key } from '../support/sdk.js'

/** All that a caller decides about a bundle. */
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

/** The bytes that a signer of your own is given for these fields. */
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

/** The identity bytes without what differs from call to call anyway: ids and time. */
async function comparable(fields: Fields): Promise<string> {
  return latin1(await identityOf(fields))
    .replace(ULID, 'ULID')
    .replace(TIME, 'TIME')
}

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.string({ unit: fc.constantFrom('a', '\u0000', '\u0001', '\u0002', '\n', 'ä', '🚀', '"'), maxLength: 6 }),
)
const anyFields: fc.Arbitrary<Fields> = fc.record({
  action: fc.constantFrom<Action>('create', 'mutate', 'transit', 'publish'),
  payload: text,
  previous: text,
  hash: fc.constantFrom<HashName>('sha256', 'md5', 'none'),
  host: text,
  layer: fc.constantFrom<Layer>('app', 'cicd', 'os', 'host'),
  tag: text,
  annotations: fc.array(
    fc.record({ kind: text.filter((kind) => kind !== '' && kind !== 'signal'), isSatisfied: fc.boolean() }),
    { maxLength: 4 },
  ),
})

/** What is said; a `previous` says nothing unless the action is mutate, nor does a tag that nothing carries. */
const said = ({ previous, tag, ...fields }: Fields) =>
  JSON.stringify({
    ...fields,
    previous: fields.action === 'mutate' ? previous : '',
    tag: fields.annotations.length > 0 ? tag : '',
  })

describe('the identity bytes', () => {
  it('begin with the name and version of the format', async () => {
    expect(textOf((await identityOf(PLAIN)).subarray(0, 28))).toBe('alvarium.AnnotationBundle/1\n')
  })

  it('are those of FORMAT.md', async () => {
    const item = (value: string) => `\0\0\0${String.fromCharCode(value.length)}${value}`
    const fields = ['create', 'p'].map(item).join('')
    const rest = ['none', 'h', 'app'].map(item).join('')
    const [time, id] = ['\0\0\0\x1bTIME', '\0\0\0\x1aULID']
    const annotations = `\0\0\0\x01${id}${item('k')}${item('t')}\x01`
    expect(await comparable(PLAIN)).toBe(
      `alvarium.AnnotationBundle/1\n${fields}\0${rest}${time}${item(key.keyId)}${annotations}`,
    )
  })

  it('are the same for the same fields', async () => {
    const same = fc.asyncProperty(anyFields, async (fields) => {
      expect(await comparable(fields)).toBe(await comparable(fields))
    })
    await fc.assert(same, runs(200))
  })

  it('differ whenever any field differs', async () => {
    const differ = fc.asyncProperty(anyFields, anyFields, async (one, other) => {
      fc.pre(said(one) !== said(other))
      expect(await comparable(one)).not.toBe(await comparable(other))
    })
    await fc.assert(differ, runs(1000))
  })

  it('differ when one field alone differs', async () => {
    const field = fc.constantFrom(...(Object.keys(PLAIN) as (keyof Fields)[]))
    const differ = fc.asyncProperty(anyFields, anyFields, field, async (one, source, field) => {
      const other = { ...one, [field]: source[field] }
      fc.pre(said(one) !== said(other))
      expect(await comparable(one)).not.toBe(await comparable(other))
    })
    await fc.assert(differ, runs(1000))
  })

  it('differ when a boundary between two fields moves, though the characters are the same', async () => {
    const whole = fc.string({ unit: 'binary', minLength: 3, maxLength: 20 })
    const cut = fc.nat({ max: 100 })
    const withCut = (text: string, at: number) => {
      const points = [...text]
      const where = 1 + (at % (points.length - 1))
      return [points.slice(0, where).join(''), points.slice(where).join('')] as const
    }
    const kind = (kind: string) => ({ annotations: [{ kind, isSatisfied: true }] })
    const splits: ((left: string, right: string) => Partial<Fields>)[] = [
      (left, right) => ({ ...kind(left), tag: right }),
      (left, right) => ({ payload: left, host: right }),
      (left, right) => ({ action: 'mutate', payload: left, previous: right }),
      (left, right) => ({ host: left, ...kind(right) }),
      (left, right) => ({ annotations: [left, right].map((kind) => ({ kind, isSatisfied: true })) }),
    ]
    const move = fc.asyncProperty(whole, cut, cut, fc.constantFrom(...splits), async (text, a, b, split) => {
      const [one, other] = [withCut(text, a), withCut(text, b)]
      fc.pre(one[0] !== other[0] && ![...one, ...other].includes('signal'))
      const identities = await Promise.all(
        [one, other].map((parts) => comparable({ ...PLAIN, ...split(...parts) })),
      )
      expect(identities[0]).not.toBe(identities[1])
    })
    await fc.assert(move, runs(1000))
  })

  it('differ when a field imitates the lengths and fields that follow it', async () => {
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
