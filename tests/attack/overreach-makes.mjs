// Leases, their bundles, and policies. Each row of overreach-rows.mjs changes one thing of them.

import { createPrivateKey, sign as nativeSign } from 'node:crypto'
import { cbor, extractBundles, generateKey, loadAlgorithms, signBytes, toHex } from 'alvarium-sdk'
import { readTrust } from 'alvarium-sdk/trust'
import { identityOf, written } from './lease-makes.mjs'
import { alone, batch, signed as signedBy } from './policy-makes.mjs'

const SECOND = 1_000_000_000n
export const MS = 1_000_000n
export const T0 = BigInt(Date.UTC(2026, 10, 20, 10)) * MS
/** The longest lease, and how much later than its end a message may arrive, in nanoseconds. */
export const [LONGEST, LATE] = [3600n * SECOND, 60n * SECOND]
/** The time since which messages of the stolen key are rejected. */
export const REVOKED = T0 + 1800n * SECOND
export const REVOKED_SERIAL = 'f'.repeat(32)

/** The texts that the issuer, and therefore its lease, may state; and texts similar to them. */
export const FIELDS = {
  hosts: {
    member: 'host',
    allowed: 'edge-7',
    others: ['edge-8', 'Edge-7', 'edge-70', 'edge-', 'edge-*', ''],
  },
  layers: { member: 'layer', allowed: 'app', others: ['cicd', 'os', 'host'] },
  actions: { member: 'action', allowed: 'create', others: ['transit', 'publish'] },
  kinds: { member: 'kind', allowed: 'src', others: ['tls', 'SRC', 'src ', 'sr'] },
  tags: { member: 'tag', allowed: 'v1', others: ['', 'v', 'V1', 'v1*', 'v11'] },
}
export const LISTS = Object.fromEntries(
  Object.entries(FIELDS).map(([list, { allowed }]) => [list, [allowed]]),
)

export const codec = cbor()
export const utf8 = new TextEncoder()
export const textOf = (bytes) => new TextDecoder().decode(bytes)

/** The prefix of an Ed25519 key's seed in PKCS#8 (RFC 8410). */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex')
/** Keys for Node's own Ed25519, which signs in a quarter of the time because it does not verify its signature. */
const natives = new Map()
function signatureBy({ signingKey, verifyingKey }, bytes) {
  if (verifyingKey.length !== 32) return signBytes(signingKey, bytes)
  if (!natives.has(signingKey)) {
    const key = Buffer.concat([PKCS8, signingKey.subarray(0, 32)])
    natives.set(signingKey, createPrivateKey({ key, format: 'der', type: 'pkcs8' }))
  }
  return nativeSign(undefined, bytes, natives.get(signingKey))
}
export const signed = (message, key) => signedBy(message, key, (bytes) => signatureBy(key, bytes))

export async function newWorld() {
  await loadAlgorithms()
  const issuers = [generateKey(), await generateKey({ algorithm: 'P-256' })]
  const [home, revoked, elsewhere] = await Promise.all([
    readTrust(
      policyOf(issuers, { revokedLeases: [{ serial: REVOKED_SERIAL, since: timeOf(REVOKED), why: 'lost' }] }),
    ),
    readTrust(policyOf(issuers, { revoked: { since: timeOf(REVOKED), why: 'stolen' } })),
    Promise.all(elsewhereOf(issuers).map((policy) => readTrust(policy))),
  ])
  const subjects = Array.from({ length: 16 }, () => generateKey())
  return { issuers, subjects, ecSubject: await generateKey({ algorithm: 'P-256' }), home, revoked, elsewhere }
}

function policyOf(issuers, more) {
  const signers = issuers.map((key, at) => ({
    name: `issuer ${at}`,
    keys: [textOfKey(key)],
    ...LISTS,
    ...more,
  }))
  return { signers, maxLeaseMs: Number(LONGEST / MS), acceptLateMs: Number(LATE / MS) }
}

/** Returns policies in which the same issuer is missing, or may state less. */
function elsewhereOf(issuers) {
  return [
    { signers: [{ name: 'issuer 0', keys: [toHex(generateKey().verifyingKey)] }] },
    policyOf(issuers, { hosts: ['edge-9'] }),
    policyOf(issuers, { maxLeaseMs: 0 }),
    policyOf(issuers, { kinds: [] }),
  ]
}
function textOfKey({ verifyingKey }) {
  if (verifyingKey.length === 32) return toHex(verifyingKey)
  return `-----BEGIN PUBLIC KEY-----\n${Buffer.from(verifyingKey).toString('base64')}\n-----END PUBLIC KEY-----`
}

/** Writes a time by RFC 3339, to the nanosecond. */
export function timeOf(ns) {
  const [date] = new Date(Number(ns / SECOND) * 1000).toISOString().split('.')
  return `${date}.${`${ns % SECOND}`.padStart(9, '0')}Z`
}

/**
 * Makes a valid lease, a bundle by it, and its time of receipt. `said` is the bundle's content, `lists` those of the
 * lease.
 *
 * @param {import('./random.mjs').Random} random @param {Awaited<ReturnType<typeof newWorld>>} world
 */
export function honestCase(random, world) {
  const from = T0 + BigInt(random.below(1_000_000_000))
  const until = from + 60n * SECOND + BigInt(random.below(1_000_000_000))
  return {
    trust: world.home,
    issuer: world.issuers[0],
    subject: random.pick(world.subjects),
    from,
    until,
    signedAt: from + 30n * SECOND,
    receivedAt: undefined,
    serial: toHex(random.bytes(16)),
    lists: {},
    said: {},
  }
}

/** Returns the messages of a case, in each form in which they can be verified. */
export function messagesOf(one) {
  const lease = one.lease?.() ?? edited(leaseOf(one), one.edit)
  const leases = [lease]
  let signer = one.bundleBy ?? one.subject
  if (one.below) {
    leases.push(leaseOf({ ...one, issuer: one.subject, subject: one.below, by: one.subject }))
    signer = one.below
  }
  const bundle = bundleOf(one)
  const json = signed(alone(bundle), signer)
  if (one.message) return { leases, ...inBoth(one.message({ lease, json })) }
  const pair = signed(batch([bundle, bundle]), signer)
  return { leases, json, cbor: codec.encode(json), batch: pair, extracted: [...extractBundles(pair)].at(-1) }
}

/** Returns both encodings; malformed JSON has no CBOR. */
function inBoth(json) {
  try {
    return { json, cbor: codec.encode(json) }
  } catch {
    return { json }
  }
}

function edited(lease, edit) {
  return edit ? utf8.encode(edit(textOf(lease))) : lease
}

/** Returns a lease (FORMAT.md, lease/1), signed by both parties, or by others in their names. */
function leaseOf({ issuer, subject, by = issuer, subjectBy = subject, serial, from, until, lists }) {
  const said = {
    issuer: issuer.keyId,
    subject: toHex(subject.verifyingKey),
    name: 'x',
    serial,
    from: timeOf(from),
    until: timeOf(until),
    ...Object.fromEntries(Object.keys(FIELDS).flatMap((list) => (lists[list] ? [[list, lists[list]]] : []))),
  }
  const identity = identityOf(said)
  const [signature, subjectSignature] = [by, subjectBy].map((key) => toHex(signatureBy(key, identity)))
  return written({ signature, subjectSignature, ...said })
}

export function bundleOf({ serial, signedAt, said }) {
  const { host = 'edge-7', layer = 'app', action = 'create', kind = 'src', tag = 'v1' } = said
  return {
    action,
    key: `${serial}${serial}`.toUpperCase(),
    hash: 'sha256',
    host,
    layer,
    timestamp: timeOf(signedAt),
    annotations: [{ id: '01KAJ00000000000000000000A', kind, tag, isSatisfied: true }],
  }
}
