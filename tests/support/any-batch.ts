import { identityBytes, signBytes, toHex } from 'alvarium-sdk'
import fc from 'fast-check'
import { utf8 } from './bytes.js'
import { key } from './sdk.js'

const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const FIRST_ID = 0x01a1f8660d7b00ff1122334455667788n
const FIRST_MS = Date.parse('2026-11-20T10:00:00Z')
const FAR = 2n ** 32n

/** Writes a ULID: its 128 bits in base 32. */
const ulidOf = (id: bigint) =>
  Array.from({ length: 26 }, (_, at) => DIGITS[Number((id >> BigInt(5 * (25 - at))) & 31n)]).join('')

/** Ids close to each other, ids about 2^32 apart (the limit of a difference in CBOR), and any ids. */
const anyId = fc
  .oneof(
    { weight: 4, arbitrary: fc.bigInt(0n, 40n).map((step) => FIRST_ID + step) },
    { weight: 1, arbitrary: fc.bigInt(FAR - 2n, FAR + 2n).map((step) => FIRST_ID + step) },
    { weight: 1, arbitrary: fc.bigInt(0n, 2n ** 128n - 1n) },
  )
  .map(ulidOf)

const microsText = (micros: number) => {
  const date = new Date(FIRST_MS + Math.floor(micros / 1000)).toISOString().slice(0, -1)
  return `${date}${String(((micros % 1000) + 1000) % 1000).padStart(3, '0')}Z`
}

/** Times close to each other, times about 2^32 µs apart (the limit of a difference in CBOR), and other forms. */
const anyTimestamp = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: -50, max: 70_000 }).map(microsText) },
  { weight: 1, arbitrary: fc.integer({ min: 2 ** 32 - 2, max: 2 ** 32 + 2 }).map(microsText) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '2026-11-20T10:00:00Z',
      '2026-11-20T10:00:00.000001+00:00',
      '2016-12-31T23:59:60.000000Z',
      '1969-12-31T23:59:59.999999Z',
      '1970-01-01T00:00:00.000000Z',
      '9999-12-31T23:59:59.999999Z',
    ),
  },
)

const digest = (bytes: number) =>
  fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((digest) => toHex(digest).toUpperCase())
const KEYS = { sha256: digest(32), md5: digest(16), none: fc.string({ unit: 'grapheme', maxLength: 12 }) }

const anyInput = fc.oneof(
  fc.record({ hash: fc.constant('sha256'), key: KEYS.sha256 }),
  fc.record({ hash: fc.constant('none'), key: KEYS.none }),
  fc.record({ set: digest(32).map((id) => id.toLowerCase()) }),
)

const anyAnnotation = fc.record({
  id: anyId,
  kind: fc.constantFrom('src', 'tls', 'ключ'),
  tag: fc.constantFrom('', 'v1'),
  isSatisfied: fc.boolean(),
})

/** A bundle of a batch, with its members in the order of our writer. Many share all that can be shared. */
const anyBundle = fc
  .record({
    action: fc.constantFrom('create', 'create', 'mutate', 'transit', 'publish'),
    hash: fc.constantFrom('sha256' as const, 'sha256' as const, 'md5' as const, 'none' as const),
    host: fc.constantFrom('edge-7', 'edge-7', ''),
    layer: fc.constantFrom('app', 'app', 'cicd'),
    timestamp: anyTimestamp,
    annotations: fc.array(anyAnnotation, { maxLength: 3 }),
  })
  .chain(({ action, hash, host, ...rest }) => {
    const madeFrom = fc.oneof(
      KEYS[hash].map((previousKey) => ({ previousKey })),
      fc.array(anyInput, { minLength: 1, maxLength: 4 }).map((inputs) => ({ inputs })),
    )
    const more = action === 'mutate' ? madeFrom : fc.constant({})
    return fc.tuple(KEYS[hash], more).map(([payloadKey, from]) => ({
      action,
      key: payloadKey,
      ...from,
      hash,
      host,
      ...rest,
    }))
  })

/** Signed batches of up to 12 bundles: what an SDK writes, and what the format allows besides. In JSON. */
export const anyBatch: fc.Arbitrary<Uint8Array> = fc
  .array(anyBundle, { minLength: 1, maxLength: 12 })
  .map((bundles) => signedBatch(bundles))

function signedBatch(bundles: readonly object[]): Uint8Array {
  const content = { signature: '0'.repeat(128), signer: key.keyId, bundles }
  const text = JSON.stringify({ messageType: 'alvarium.AnnotationBatch/1', content })
  const signature = toHex(signBytes(key.signingKey, identityBytes(utf8(text))))
  return utf8(text.replace(content.signature, signature))
}
