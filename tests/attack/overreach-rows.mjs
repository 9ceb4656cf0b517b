// Ways in which a lease can exceed its permissions, one at a time. Each has an honest twin that differs in nothing
// else.

import { toHex } from 'alvarium-sdk'
import {
  bundleOf,
  codec,
  FIELDS,
  LATE,
  LISTS,
  LONGEST,
  MS,
  REVOKED,
  REVOKED_SERIAL,
  signed,
  T0,
  textOf,
  timeOf,
  utf8,
} from './overreach-makes.mjs'
import { alone, batch } from './policy-makes.mjs'

const PATTERNS = ['hosts', 'kinds', 'tags']
/** The verdicts by the other policies, in their order. */
const TOLD_ELSEWHERE = ['SIGNER_UNKNOWN', 'SIGNER_NOT_ALLOWED', 'SIGNER_NOT_ALLOWED', 'SIGNER_NOT_ALLOWED']

/** @typedef {{ good?: object, bad: object, told: string }} Pair the changes to a good case, those to a bad one, and its expected verdict */

/** @type {Record<string, (random: import('./random.mjs').Random, base: ReturnType<typeof import('./overreach-makes.mjs').honestCase>, world: any) => Pair>} */
export const ROWS = {
  'a lease that says more than its issuer may': widened,
  'a bundle that says more than its lease': narrow,
  'a lease altered after it was signed': altered,
  'a lease that is too long': (random, { from }) => ({
    good: { until: from + LONGEST },
    bad: { until: from + LONGEST + beyond(random) },
    told: 'SIGNER_NOT_ALLOWED',
  }),
  'a lease that is over': expired,
  'a lease that has not begun': (random, { from }) => ({
    good: { signedAt: from },
    bad: { signedAt: from - beyond(random) },
    told: 'SIGNER_EXPIRED',
  }),
  'a lease of a revoked issuer, backdated': (random, _, { revoked }) => ({
    good: { trust: revoked, until: REVOKED, receivedAt: msOf(REVOKED) - 1 },
    bad: { trust: revoked, until: REVOKED, receivedAt: sinceRevoked(random) },
    told: 'SIGNER_REVOKED',
  }),
  'a lease that is revoked itself, backdated': (random) => {
    const late = { serial: REVOKED_SERIAL, until: REVOKED }
    return {
      good: { ...late, receivedAt: msOf(REVOKED) - 1 },
      bad: { ...late, receivedAt: sinceRevoked(random) },
      told: 'SIGNER_REVOKED',
    }
  },
  'a lease under another algorithm': otherAlgorithm,
  'a lease taken for a bundle': takenForBundle,
  'a bundle taken for a lease': takenForLease,
  'a lease replayed in another trust': (random, _, { elsewhere }) => {
    const at = random.below(elsewhere.length)
    return { bad: { trust: elsewhere[at] }, told: TOLD_ELSEWHERE[at] }
  },
  'a lease by a lease': (random, { subject }, { subjects }) => ({
    bad: { below: random.pick(subjects.filter((one) => one !== subject)) },
    told: 'SIGNER_UNKNOWN',
  }),
}

const msOf = (ns) => Number(ns / MS)
/** Returns a time of receipt since the revocation, or undefined. */
const sinceRevoked = (random) => random.pick([undefined, msOf(REVOKED), msOf(REVOKED) + random.below(1e9)])

/** Returns a duration, from a nanosecond to years. */
function beyond(random) {
  return 10n ** BigInt(random.below(17)) * BigInt(1 + random.below(9))
}

function widened(random) {
  const [list, { member, allowed, others }] = random.pick(Object.entries(FIELDS))
  const other = random.pick(others)
  const wide = PATTERNS.includes(list) ? [['*'], ['*', allowed], [`${allowed}*`, '*']] : []
  const lists = random.pick([
    {},
    ...wide.map((texts) => ({ [list]: texts })),
    { [list]: [allowed, escaped(other)] },
  ])
  return { good: { lists }, bad: { lists, said: { [member]: other } }, told: 'SIGNER_NOT_ALLOWED' }
}

/** Returns the pattern that matches only this text. */
const escaped = (text) => text.replaceAll('*', '\\*')

function narrow(random) {
  const [list, { member, allowed, others }] = random.pick(Object.entries(FIELDS))
  const other = random.pick(others)
  return {
    good: { lists: { [list]: [allowed] } },
    bad: { lists: { [list]: random.pick([[], [escaped(other)]]) }, said: { [member]: allowed } },
    told: 'SIGNER_NOT_ALLOWED',
  }
}

/** Alters a signed lease, so that its signatures do not cover the new text. */
function altered(random, { until, serial }) {
  const narrowed = Object.fromEntries(Object.entries(LISTS).map(([list]) => [list, []]))
  const edits = [
    (text) => text.replace(',"hosts":[]', random.pick(['', ',"hosts":["*"]', ',"hosts":["edge-7"]'])),
    (text) => text.replace(timeOf(until), timeOf(until + beyond(random) / 1000n + 1n)),
    (text) => text.replace(serial, toHex(random.bytes(16))),
    (text) =>
      text.replace(/"signature":"./, (begin) => begin.slice(0, -1) + (begin.endsWith('0') ? '1' : '0')),
    (text) => text.replace(/("signature":)("\w+")(,"subjectSignature":)("\w+")/, '$1$4$3$2'),
    (text) => text.replace('"name":"x"', '"name":"y"'),
  ]
  const edit = random.pick(edits)
  return {
    bad: { lists: edit === edits[0] ? narrowed : {}, edit },
    told: 'SIGNER_UNKNOWN',
  }
}

function expired(random, { until }) {
  const lateness = until + LATE
  return random.pick([
    { good: { signedAt: until }, bad: { signedAt: until + beyond(random) }, told: 'SIGNER_EXPIRED' },
    {
      good: { receivedAt: msOf(lateness) },
      bad: { receivedAt: msOf(lateness) + 1 + random.below(1e9) },
      told: 'SIGNER_EXPIRED',
    },
  ])
}

/** Signs with a key of another algorithm than required. */
function otherAlgorithm(random, { subject }, { issuers: [issuer, ecIssuer], ecSubject }) {
  return random.pick([
    { good: { issuer: ecIssuer }, bad: { issuer: ecIssuer, by: issuer }, told: 'SIGNER_UNKNOWN' },
    { bad: { by: ecIssuer }, told: 'SIGNER_UNKNOWN' },
    { bad: { subjectBy: ecSubject }, told: 'SIGNER_UNKNOWN' },
    // One key signs the bundle, the lease names another one.
    { good: { subject: ecSubject }, bad: { subject: ecSubject, bundleBy: subject }, told: 'SIGNER_UNKNOWN' },
    {
      good: { subject: ecSubject },
      bad: { subject: ecSubject, bundleBy: { ...subject, keyId: ecSubject.keyId } },
      told: 'SIGNATURE_INVALID',
    },
  ])
}

function takenForBundle(random) {
  const renamed = (lease) => textOf(lease).replace('alvarium.Lease/1', 'alvarium.AnnotationBundle/1')
  return random.pick([
    { bad: { message: ({ lease }) => lease }, told: 'MESSAGE_MALFORMED' },
    { bad: { message: ({ lease }) => utf8.encode(renamed(lease)) }, told: 'MESSAGE_MALFORMED' },
    {
      bad: { message: ({ lease }) => utf8.encode(`{"action":"create",${renamed(lease).slice(1)}`) },
      told: 'MESSAGE_MALFORMED',
    },
    // The same key has signed both.
    {
      bad: { message: ({ lease, json }) => signedLike(json, contentOf(lease).subjectSignature) },
      told: 'SIGNATURE_INVALID',
    },
  ])
}

function takenForLease(random, { subject, issuer, serial }) {
  const as = (message) => ({ lease: () => message })
  const own = signed(alone(bundleOf({ serial, signedAt: T0, said: {} })), issuer)
  const { signature } = contentOf(own)
  return random.pick([
    { bad: as(own), told: 'SIGNER_UNKNOWN' },
    { bad: as(codec.encode(own)), told: 'SIGNER_UNKNOWN' },
    { bad: as(utf8.encode(textOf(own).replace('AnnotationBundle/1', 'Lease/1'))), told: 'SIGNER_UNKNOWN' },
    {
      bad: as(signed(batch([bundleOf({ serial, signedAt: T0, said: {} })]), subject)),
      told: 'SIGNER_UNKNOWN',
    },
    {
      bad: { edit: (text) => text.replace(/"signature":"\w+"/, `"signature":"${signature}"`) },
      told: 'SIGNER_UNKNOWN',
    },
  ])
}

const contentOf = (message) => JSON.parse(textOf(message)).content

function signedLike(json, signature) {
  return utf8.encode(textOf(json).replace(/"signature":"\w+"/, `"signature":"${signature}"`))
}
