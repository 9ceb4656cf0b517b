import * as v from 'valibot'
import { toBytes } from '../../../foundation/base/bytes/hex.js'
import { join } from '../../../foundation/base/bytes/join.js'
import { u32, u64, withLength } from '../../../foundation/base/bytes/prefixed.js'
import { AlvariumError, assertBytes, expected, textOf } from '../../../foundation/base/errors.js'
import { CANONICAL } from '../../../foundation/base/options/message.js'
import {
  digits,
  oneOf,
  readOptions,
  strict,
  text,
  wholeNumber,
} from '../../../foundation/base/options/schema.js'
import { exactText } from '../../../foundation/base/text/text.js'
import { ACTIONS, LAYERS } from '../../../foundation/model/bundle.js'
import type { LogState } from '../../../signing/keys/leased-key.js'
import { keyIdOf } from '../../../signing/keys/verifying.js'
import { instantOf } from '../policy/instant.js'
import { hasFewSearches, patternChecks } from '../policy/pattern.js'
import type { Allowed } from '../policy/policy.js'

/** Permission for another key to sign for some time in the name of the issuer. */
export interface Lease extends Allowed {
  /** Key id of the issuer, which signed the lease: 32 lower-case hexadecimal digits. */
  readonly issuer: string
  /** Public key that received the lease, in hexadecimal: 32 bytes of Ed25519, or SubjectPublicKeyInfo. */
  readonly subject: string
  /** Key id of `subject`, which is the `signer` of the bundles that the subject signs. */
  readonly keyId: string
  /** Human-readable name of the lease, such as the name of the machine. 0 to 255 bytes. */
  readonly name: string
  /** Serial number among the leases of the issuer: 32 lower-case hexadecimal digits. */
  readonly serial: string
  /** Beginning of the lease, in RFC 3339. */
  readonly from: string
  /** End of the lease, in RFC 3339. */
  readonly until: string
  /** Run, size and root of the subject's log at `from`. The issuer states that the log's messages existed by then. */
  readonly log?: LogState | undefined
}

export type LeaseMembers = Omit<Lease, 'keyId'>

/** Lease with its two signatures, 128 lower-case hexadecimal digits each. */
export interface SignedLease extends LeaseMembers {
  readonly signature: string
  /** Signature of the subject, so that nobody can claim the bundles of another key. */
  readonly subjectSignature: string
}

const TYPE = 'alvarium.Lease/1'
const MAX_LEASE_BYTES = 65_536
const NO_SIGNATURE = '0'.repeat(128)
const MAX_TEXTS = 256
const MAX_TEXT_BYTES = 1024
const MAX_NAME_BYTES = 255

const utf8 = new TextEncoder()
const TIME = 'a time such as 2026-11-20T10:00:00Z'
const timestamp = v.pipe(
  v.string(TIME),
  v.check((given) => instantOf(given) !== undefined, TIME),
)
const listOf = <Schema extends v.GenericSchema>(schema: Schema) =>
  v.pipe(v.array(schema, 'an array'), v.maxLength(MAX_TEXTS, `at most ${MAX_TEXTS} texts`))
const pattern = v.pipe(text(MAX_TEXT_BYTES), ...patternChecks)
const patterns = v.optional(v.pipe(listOf(pattern), hasFewSearches))
const KEY = 'a public key: 32 bytes of Ed25519, or SubjectPublicKeyInfo, in lower-case hexadecimal'
const terms = {
  issuer: digits(32),
  // A SubjectPublicKeyInfo has 88 or 91 bytes, because its point must be uncompressed.
  subject: v.pipe(v.string(KEY), v.regex(/^(?:[0-9a-f]{64}|[0-9a-f]{176}|[0-9a-f]{182})$/, KEY)),
  name: text(MAX_NAME_BYTES),
  serial: digits(32),
  from: timestamp,
  until: timestamp,
  hosts: patterns,
  layers: v.optional(listOf(oneOf(LAYERS))),
  actions: v.optional(listOf(oneOf(ACTIONS))),
  kinds: patterns,
  tags: patterns,
  log: v.optional(
    strict({ run: digits(32), size: wholeNumber(1, 'a whole number from 1'), root: digits(64) }),
  ),
}
const schema = strict({
  messageType: v.literal(TYPE, TYPE),
  content: strict({ signature: digits(128), subjectSignature: digits(128), ...terms }),
})
const termsSchema = strict(terms)

/**
 * Reads a lease (FORMAT.md, lease/1) without verifying it.
 *
 * @param message - at most 65,536 bytes
 * @throws TypeError if `message` is not a `Uint8Array`
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

export function readSignedLease(message: Uint8Array): SignedLease & Lease {
  assertBytes(message, 'lease')
  const json = textIn(message)
  const { content } = readWithCode('lease', () => readOptions(schema, JSON.parse(json), 'lease'))
  // Accept one spelling only, so that all readers read the same members, and no member is repeated or
  // unknown.
  if (jsonOf(content) !== json) {
    throw expected('MESSAGE_MALFORMED', 'lease', CANONICAL, 'JSON in another form')
  }
  return { ...content, keyId: checkMembers(content) }
}

/** Validates the terms of a lease, so that it can be written and read again. @throws AlvariumError `CONFIG_INVALID` */
export function leaseOf(given: unknown): LeaseMembers {
  const lease = readOptions(termsSchema, given, 'lease')
  checkMembers(lease, 'CONFIG_INVALID')
  const { length } = writeLease({ ...lease, signature: NO_SIGNATURE, subjectSignature: NO_SIGNATURE })
  if (length > MAX_LEASE_BYTES)
    throw expected('CONFIG_INVALID', 'lease', `at most ${MAX_LEASE_BYTES} bytes`, `${length}`)
  return lease
}

export function writeLease(lease: SignedLease): Uint8Array {
  return utf8.encode(jsonOf(lease))
}

/** Returns the JSON of a lease, with its members in a fixed order. `JSON.stringify` omits missing lists. */
function jsonOf(lease: SignedLease): string {
  const { signature, subjectSignature, issuer, subject, name, serial, from, until } = lease
  const { hosts, layers, actions, kinds, tags, log } = lease
  const logged = log && { run: log.run, size: log.size, root: log.root }
  const lists = { hosts, layers, actions, kinds, tags, log: logged }
  const members = { issuer, subject, name, serial, from, until, ...lists }
  return JSON.stringify({ messageType: TYPE, content: { signature, subjectSignature, ...members } })
}

/** Error code: `MESSAGE_MALFORMED` for a received lease, `CONFIG_INVALID` for terms that the caller passed. */
type UnreadableCode = 'MESSAGE_MALFORMED' | 'CONFIG_INVALID'

/** Asserts that the members of a lease are consistent. @returns the key id of the subject */
function checkMembers(lease: LeaseMembers, code: UnreadableCode = 'MESSAGE_MALFORMED'): string {
  const { subject, issuer, from, until } = lease
  const keyId = readWithCode('lease.subject', () => keyIdOf(toBytes(subject) as Uint8Array), code)
  if (keyId === issuer)
    throw expected(code, 'lease.subject', 'a key other than the issuer', 'the key of the issuer')
  if (nanosecondsOf(until) < nanosecondsOf(from)) {
    throw expected(code, 'lease.until', `a time not before lease.from, ${from}`, until)
  }
  return keyId
}

function nanosecondsOf(timestamp: string): bigint {
  return (instantOf(timestamp) as { ns: bigint }).ns
}

function textIn(message: Uint8Array): string {
  if (message.length > MAX_LEASE_BYTES) {
    throw expected('MESSAGE_MALFORMED', 'lease', `at most ${MAX_LEASE_BYTES} bytes`, `${message.length}`)
  }
  return readWithCode('lease', () => exactText(message))
}

/** Calls a function, and throws its errors with the code `code`, except errors of the WebAssembly core. */
function readWithCode<T>(field: string, read: () => T, code: UnreadableCode = 'MESSAGE_MALFORMED'): T {
  try {
    return read()
  } catch (error) {
    if (error instanceof AlvariumError && error.code.startsWith('CORE_')) throw error
    const isOurs = error instanceof AlvariumError && error.code === 'CONFIG_INVALID'
    throw new AlvariumError(
      code,
      isOurs ? error.message : `${field}: expected a value that can be read, got: ${textOf(error)}`,
    )
  }
}

/** Prefix of the signed bytes. Nothing else that our private keys sign begins with this prefix. */
const DOMAIN = `${TYPE}\n`

/**
 * Returns the identity bytes of a lease, which both signatures cover (FORMAT.md, lease/1). Every text follows
 * its length. Every list follows a byte that says whether it is present, and the number of its texts. The log
 * comes last, if there is one. Different leases therefore never have the same bytes.
 */
export function leaseIdentity(lease: LeaseMembers): Uint8Array {
  const { issuer, subject, name, serial, from, until } = lease
  const { hosts, layers, actions, kinds, tags, log } = lease
  const texts = [issuer, subject, name, serial, from, until].map(withLength)
  const lists = [hosts, layers, actions, kinds, tags].map(listField)
  return join([utf8.encode(DOMAIN), ...texts, ...lists, ...(log ? logFields(log) : [])]).bytes
}

function logFields({ run, size, root }: LogState): Uint8Array[] {
  return [withLength(run), u64(size), withLength(root)]
}

function listField(texts: readonly string[] | undefined): Uint8Array {
  if (!texts) return Uint8Array.of(0)
  return join([Uint8Array.of(1), u32(texts.length), ...texts.map(withLength)]).bytes
}
