import * as v from 'valibot'
import { toBytes } from '../../foundation/base/bytes/hex.js'
import { AlvariumError, assertBytes, expected, textOf } from '../../foundation/base/errors.js'
import {
  digits,
  oneOf,
  readOptions,
  strict,
  text,
  wholeNumber,
} from '../../foundation/base/options/schema.js'
import { exactText } from '../../foundation/base/text/text.js'
import { ACTIONS, LAYERS } from '../../foundation/model/bundle.js'
import type { LogState } from '../../signing/keys/leased-key.js'
import { keyIdOf } from '../../signing/keys/verifying.js'
import { instantOf } from './instant.js'
import { FEW_SEARCHES, FEW_STARS, hasFewSearches, hasFewStars, isPattern } from './pattern.js'
import type { Allowed } from './policy.js'

/** Permission for another key to sign for some time, in the name of the key that signed the lease. */
export interface Lease extends Allowed {
  /** Key id of the key that signed the lease: 32 lower-case hexadecimal digits. */
  readonly issuer: string
  /** Public key that the lease is for, in hexadecimal: 32 bytes of Ed25519, or SubjectPublicKeyInfo. */
  readonly subject: string
  /** Key id of `subject`: the `signer` of the bundles that it signs. */
  readonly keyId: string
  /** Name for people, such as the machine that has the key. 0 to 255 bytes. */
  readonly name: string
  /** Serial number among the leases of its issuer: 32 lower-case hexadecimal digits. */
  readonly serial: string
  /** Beginning, RFC 3339. */
  readonly from: string
  /** End, RFC 3339. */
  readonly until: string
  /** State of the subject's log at `from`, as the issuer states it: all that the subject had signed until then. */
  readonly log?: LogState | undefined
}

/** Members of a lease's message. */
export type LeaseMembers = Omit<Lease, 'keyId'>

/** Lease with both signatures over it, 128 lower-case hexadecimal digits each. */
export interface SignedLease extends LeaseMembers {
  readonly signature: string
  /** Signature of the subject: nobody can claim the bundles of another key. */
  readonly subjectSignature: string
}

/** Type of the message (FORMAT.md, lease/1). */
const TYPE = 'alvarium.Lease/1'
const LONGEST_LEASE = 65_536
const MOST_TEXTS = 256
const LONGEST_TEXT = 1024
const LONGEST_NAME = 255

const utf8 = new TextEncoder()
const TIME = 'a time such as 2026-11-20T10:00:00Z'
const timestamp = v.pipe(
  v.string(TIME),
  v.check((given) => instantOf(given) !== undefined, TIME),
)
const pattern = v.pipe(
  text(LONGEST_TEXT),
  v.check(isPattern, 'a text in which * or \\ stands behind each \\'),
  v.check(hasFewStars, FEW_STARS),
)
const listOf = <Schema extends v.GenericSchema>(schema: Schema) =>
  v.optional(v.pipe(v.array(schema, 'an array'), v.maxLength(MOST_TEXTS, `at most ${MOST_TEXTS} texts`)))
const patterns = v.optional(
  v.pipe(
    v.array(pattern, 'an array'),
    v.maxLength(MOST_TEXTS, `at most ${MOST_TEXTS} texts`),
    v.check((list) => hasFewSearches(list), FEW_SEARCHES),
  ),
)
const KEY = 'a public key: 32 bytes of Ed25519, or SubjectPublicKeyInfo, in lower-case hexadecimal'
const terms = {
  issuer: digits(32),
  // A SubjectPublicKeyInfo has 88 or 91 bytes: the point is uncompressed.
  subject: v.pipe(v.string(KEY), v.regex(/^(?:[0-9a-f]{64}|[0-9a-f]{176}|[0-9a-f]{182})$/, KEY)),
  name: text(LONGEST_NAME),
  serial: digits(32),
  from: timestamp,
  until: timestamp,
  hosts: patterns,
  layers: listOf(oneOf(LAYERS)),
  actions: listOf(oneOf(ACTIONS)),
  kinds: patterns,
  tags: patterns,
  log: v.optional(
    strict({
      run: digits(32),
      size: wholeNumber(1, 'a whole number from 1'),
      root: digits(64),
    }),
  ),
}
const schema = strict({
  messageType: v.literal(TYPE, TYPE),
  content: strict({ signature: digits(128), subjectSignature: digits(128), ...terms }),
})
const unsigned = strict(terms)

/**
 * Reads a lease (FORMAT.md, lease/1) without verifying it.
 *
 * @param message - at most 65,536 bytes
 * @throws TypeError when `message` is not a `Uint8Array`
 * @throws AlvariumError `MESSAGE_MALFORMED`
 *
 * @example
 * ```ts
 * const { issuer, name, until } = readLease(lease)
 * console.log(`${issuer} lets ${name} sign until ${until}`)
 * ```
 */
export function readLease(message: Uint8Array): Lease {
  const { signature: _, subjectSignature: __, ...lease } = readSignedLease(message)
  return lease
}

/** Reads a lease with its signatures, without verifying them. */
export function readSignedLease(message: Uint8Array): SignedLease & Lease {
  assertBytes(message, 'lease')
  const written = textIn(message)
  const { content } = malformedUnless('lease', () => readOptions(schema, JSON.parse(written), 'lease'))
  // Accept one spelling only: nothing twice, nothing unknown, nothing that another reader could read differently.
  if (spelt(content) !== written) {
    const what = 'its members once, in order and without white space'
    throw expected('MESSAGE_MALFORMED', 'lease', what, 'another spelling')
  }
  return { ...content, keyId: checked(content) }
}

/**
 * Checks the members of a lease, which can then be written and read again.
 *
 * @throws AlvariumError `CONFIG_INVALID`
 */
export function leaseOf(given: unknown): LeaseMembers {
  const lease = readOptions(unsigned, given, 'lease')
  checked(lease, 'CONFIG_INVALID')
  return lease
}

/** Returns the bytes of a lease's message. */
export function writtenLease(lease: SignedLease): Uint8Array {
  return utf8.encode(spelt(lease))
}

/** Returns the JSON of a lease, with its members in this order; `JSON.stringify` leaves missing lists out. */
function spelt(lease: SignedLease): string {
  const { signature, subjectSignature, issuer, subject, name, serial, from, until } = lease
  const { hosts, layers, actions, kinds, tags, log } = lease
  const logged = log && { run: log.run, size: log.size, root: log.root }
  const lists = { hosts, layers, actions, kinds, tags, log: logged }
  const said = { issuer, subject, name, serial, from, until, ...lists }
  return JSON.stringify({ messageType: TYPE, content: { signature, subjectSignature, ...said } })
}

/** Error code: for a lease of another party, or for the caller's own. */
type UnreadableCode = 'MESSAGE_MALFORMED' | 'CONFIG_INVALID'

/**
 * Checks the members against one another.
 *
 * @returns the key id of its subject
 */
function checked(lease: LeaseMembers, code: UnreadableCode = 'MESSAGE_MALFORMED'): string {
  const { subject, issuer, from, until } = lease
  const keyId = malformedUnless('lease.subject', () => keyIdOf(toBytes(subject) as Uint8Array), code)
  if (keyId === issuer) throw expected(code, 'lease.subject', 'another key than its issuer', 'the same')
  if (nanosecondsOf(until) < nanosecondsOf(from)) {
    throw expected(code, 'lease.until', `a time not before from, ${from}`, until)
  }
  return keyId
}

function nanosecondsOf(timestamp: string): bigint {
  return (instantOf(timestamp) as { ns: bigint }).ns
}

function textIn(message: Uint8Array): string {
  if (message.length > LONGEST_LEASE) {
    throw expected('MESSAGE_MALFORMED', 'lease', `at most ${LONGEST_LEASE} bytes`, `${message.length}`)
  }
  return malformedUnless('lease', () => exactText(message))
}

/** Reads a value, and gives all of its errors one code. */
function malformedUnless<T>(field: string, read: () => T, code: UnreadableCode = 'MESSAGE_MALFORMED'): T {
  try {
    return read()
  } catch (error) {
    if (error instanceof AlvariumError && error.code.startsWith('CORE_')) throw error
    const isOurs = error instanceof AlvariumError && error.code === 'CONFIG_INVALID'
    throw new AlvariumError(
      code,
      isOurs ? error.message : `${field}: expected one that can be read, got: ${textOf(error)}`,
    )
  }
}
