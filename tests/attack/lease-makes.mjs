// Leases of all kinds: good, too long, not yet valid, expired, of unknown issuers, forged, and altered.

import { signBytes, toHex } from 'alvarium-sdk'
import { momentOf } from './policy-model.mjs'

const TIMES = [
  '2026-11-20T10:00:00Z',
  '2026-11-20T10:00:00.000000001Z',
  '2026-11-20T09:59:59.999999999Z',
  '2026-11-20T10:00:60Z',
  '2026-11-20T11:01:00.5+01:00',
  '2026-11-20T10:01:00.001Z',
  '2026-11-21T10:00:00Z',
  '2026-11-19T10:00:00-00:00',
  '2027-03-01T00:00:00Z',
]
/** Few serials, so that some leases are revoked. */
const SERIALS = ['0'.repeat(32), '1'.repeat(32), 'f'.repeat(32)]
const LISTS = {
  hosts: ['edge-7', 'edge-*', '*', '', '\\*', 'Edge-7', 'é'],
  layers: ['app', 'cicd', 'os', 'host'],
  actions: ['create', 'mutate', 'transit', 'publish'],
  kinds: ['src', 's*', '*', 'tls', 'in-range'],
  tags: ['', 'v1', 'v*', '*'],
}

const encoder = new TextEncoder()
export const written = (content) =>
  encoder.encode(JSON.stringify({ messageType: 'alvarium.Lease/1', content }))

/**
 * Makes a lease between two of these keys, written by FORMAT.md and signed by both, and tells whether it is sound.
 *
 * @param {import('./random.mjs').Random} random @param {import('./policy-makes.mjs').Signing[]} keys
 */
export function leaseOf(random, keys) {
  const [issuer, subject] = [random.pick(keys), random.pick(keys)]
  const [from, until] = [random.pick(TIMES), random.pick(TIMES)]
  const lease = {
    issuer: issuer.keyId,
    subject: toHex(subject.verifyingKey),
    name: 'x',
    serial: random.pick(SERIALS),
    from,
    until,
    ...listsOf(random),
  }
  const identity = identityOf(lease)
  const signed = (signer, bytes) => toHex(signBytes(signer.signingKey, bytes))
  const [one, other] = random.below(10) === 0 ? [subject, random.pick(keys)] : [issuer, subject]
  const isGenuine = one === issuer && other === subject
  const content = { signature: signed(one, identity), subjectSignature: signed(other, identity), ...lease }
  const isAltered = random.below(10) === 0
  const isInOrder = momentOf(from) <= momentOf(until)
  const message = isAltered ? altered(random, written(content)) : written(content)
  return {
    message,
    lease: { ...lease, keyId: subject.keyId },
    isSound: isGenuine && isInOrder && !isAltered && issuer !== subject,
  }
}

function listsOf(random) {
  const some = Object.entries(LISTS).filter(() => random.below(5) === 0)
  return Object.fromEntries(
    some.map(([name, texts]) => [name, random.shuffled(texts).slice(0, random.below(4))]),
  )
}

/** Alters a byte or the spelling; the result is never a lease. */
function altered(random, message) {
  const text = new TextDecoder().decode(message)
  const spelt = [
    () => `${text} `,
    () => text.replace('"name":', '"name":"y","name":'),
    () => text.replace('"messageType"', '"action":"create","messageType"'),
    () => text.replace('"x"', '"\\u0078"'),
    () => text.replace('alvarium.Lease/1', 'alvarium.AnnotationBundle/1'),
    () => text.replace(/"serial":"./, '"serial":"A'),
  ]
  if (random.below(2) === 0) return encoder.encode(random.pick(spelt)())
  const copy = message.slice()
  const at = random.below(copy.length)
  copy[at] ^= 1 << random.below(8)
  return copy
}

/** Returns the identity of a lease (FORMAT.md, lease/1). */
export function identityOf({
  issuer,
  subject,
  name,
  serial,
  from,
  until,
  hosts,
  layers,
  actions,
  kinds,
  tags,
}) {
  const texts = [issuer, subject, name, serial, from, until].map(prefixed)
  const lists = [hosts, layers, actions, kinds, tags].map((list) =>
    list ? Buffer.concat([Buffer.of(1), u32(list.length), ...list.map(prefixed)]) : Buffer.of(0),
  )
  return Buffer.concat([Buffer.from('alvarium.Lease/1\n'), ...texts, ...lists])
}

const u32 = (number) => Buffer.of(number >>> 24, number >>> 16, number >>> 8, number)
const prefixed = (text) => Buffer.concat([u32(Buffer.byteLength(text)), Buffer.from(text)])

export function leasing(random, policy) {
  const signers = policy.signers.map((signer) => ({
    ...signer,
    ...(random.below(3) === 0 && { maxLeaseMs: random.pick([0, 1, 60_000, 86_400_000, 3_155_760_000_000]) }),
    ...(random.below(3) === 0 && {
      revokedLeases: [{ serial: random.pick(SERIALS), since: random.pick(TIMES), why: 'stolen' }],
    }),
  }))
  return {
    ...policy,
    signers,
    ...(random.below(4) === 0 && { maxLeaseMs: random.pick([0, 31_536_000_000]) }),
  }
}
