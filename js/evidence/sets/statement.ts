import * as v from 'valibot'
import { toBytes, toHex } from '../../foundation/base/bytes/hex.js'
import { join } from '../../foundation/base/bytes/join.js'
import { u64, withLength } from '../../foundation/base/bytes/prefixed.js'
import { AlvariumError, conflicts, describe, expected, malformed } from '../../foundation/base/errors.js'
import { digits, strict, text } from '../../foundation/base/options/schema.js'
import { withCore } from '../../foundation/core/core.js'
import { EMPTY_ROOT, HASH_BYTES, hashPieces } from '../../foundation/core/tree.js'
import { assertKnown, assertSigned } from '../../signing/keys/keyring-use.js'
import { receivedMs, type SignedBy } from '../../signing/keys/trust-policy.js'
import { type VerifyOptions, withTrusted } from '../../verifying/verify/options.js'
import { bytes, count, hash } from './schemas.js'

// Defines the fields and the signed bytes that set and manifest statements share.

/** Statement of a signer about a set. */
export interface SetStatement {
  /** Key id of the signer: 32 lower-case hexadecimal digits. */
  readonly signer: string
  /** Name of the set, chosen by the signer. 0 to 255 bytes. */
  readonly name: string
  /** Name of the signer's machine. 0 to 255 bytes. */
  readonly host: string
  /** Time of sealing by the signer's clock, in RFC 3339. */
  readonly timestamp: string
  /** Number of sealed payloads, equal payloads included. */
  readonly rows: number
  /** Number of different payloads. */
  readonly size: number
  /** Root of the tree over the sorted keys (RFC 9162 §2.1.1): 64 lower-case hexadecimal digits. */
  readonly root: string
  /** Commitment to the salt: 64 lower-case hexadecimal digits. Undefined for a set without a salt. */
  readonly salt?: string | undefined
}

export type Statement = Omit<SetStatement, 'rows'>

const MAX_TEXT_BYTES = 255

export const signerMembers = {
  signer: digits(32),
  name: text(MAX_TEXT_BYTES),
  host: text(MAX_TEXT_BYTES),
  timestamp: v.pipe(
    v.string('a time'),
    v.check((given) => isTimestamp(given), 'a time such as 2026-11-20T10:00:00Z'),
  ),
}

export const treeMembers = { size: count, root: hash, salt: v.optional(hash) }

export const trustMembers = {
  keyring: v.unknown(),
  receivedAt: v.optional(v.unknown()),
  salt: v.optional(bytes),
}

/**
 * Returns whether a text is a timestamp of at most 35 characters: with nine fraction digits and an offset.
 */
function isTimestamp(given: string): boolean {
  return given.length <= 35 && withCore((core) => core.isTimestamp(given))
}

/** @throws AlvariumError `CONFIG_INVALID` */
export function assertSignerMembers(members: object): void {
  const { success, issues } = v.safeParse(strict(signerMembers), members)
  if (success) return
  const [{ message, path }] = issues
  throw expected('CONFIG_INVALID', `${path?.[0]?.key}`, message, describe(path?.[0]?.value))
}

/**
 * Asserts that a statement has the root of an empty tree if its size is 0, and another root if it is not.
 * `name` and `nothing` are for the error.
 *
 * @throws AlvariumError `MESSAGE_MALFORMED`
 */
export function assertRoot(
  { size, root }: Pick<Statement, 'size' | 'root'>,
  name: string,
  nothing: string,
): void {
  if ((size === 0) === (root === EMPTY_ROOT)) return
  const expectation =
    size === 0
      ? `the root of ${nothing}, ${EMPTY_ROOT}, because ${name}.size is 0`
      : `a root other than that of ${nothing}, because ${name}.size is not 0`
  throw malformed(`${name}.root`, expectation, root)
}

/**
 * Returns the signed bytes of a statement. Every text follows its length, a byte says whether there is a salt, and other
 * fields have fixed lengths, so two different statements never have the same bytes.
 *
 * @param domain - prefix that only this kind of statement has
 * @param numbers - numbers of rows, records or entries, which stand between the texts and the root
 */
export function identityOf(
  domain: Uint8Array,
  { signer, name, host, timestamp, root, salt }: Statement,
  numbers: readonly number[],
): Uint8Array {
  const texts = [signer, name, host, timestamp].map(withLength)
  const saltPart = salt === undefined ? [Uint8Array.of(0)] : [Uint8Array.of(1), toBytes(salt) as Uint8Array]
  return join([domain, ...texts, ...numbers.map(u64), toBytes(root) as Uint8Array, ...saltPart]).bytes
}

/** Returns the id of a statement: SHA-256(0x00 ‖ identity) as for bundles, 64 lower-case hexadecimal digits. */
export function idOf(identity: Uint8Array): string {
  return toHex(hashPieces(identity, identity.length, 0))
}

const SALT_DOMAIN = new TextEncoder().encode('alvarium.Set/1 salt\n')

/** Returns the text by which a verifier recognises the right salt. */
export function saltCommitment(salt: Uint8Array): string {
  const text = join([SALT_DOMAIN, salt]).bytes
  return toHex(hashPieces(text, text.length))
}

/** @throws AlvariumError `CONFIG_INVALID` unless the salt has 32 bytes */
export function assertSalt(salt: Uint8Array | undefined): void {
  if (salt === undefined || salt.length === HASH_BYTES) return
  throw expected('CONFIG_INVALID', 'salt', `${HASH_BYTES} random bytes`, `${salt.length}`)
}

/** @throws AlvariumError `CONFIG_INVALID` for a salt that does not belong to the statement */
export function assertSaltOf(statement: Pick<Statement, 'salt'>, salt: Uint8Array | undefined): void {
  if (salt === undefined) return
  assertSalt(salt)
  if (statement.salt === saltCommitment(salt)) return
  if (statement.salt === undefined)
    throw conflicts('salt', 'a set or manifest that was sealed without a salt')
  throw new AlvariumError('CONFIG_INVALID', 'salt: is not the salt of the set or manifest')
}

/**
 * Marks a statement as verified, and stores a copy of its salt. The property is not enumerable, so that logs do not
 * show it and copies do not have it.
 */
export function markVerified(statement: object, mark: symbol, salt: Uint8Array | undefined): object {
  return Object.defineProperty(statement, mark, { value: { salt: salt && new Uint8Array(salt) } })
}

/**
 * Verifies the signature of a statement, and that the trust policy permits it. Returns the owner of the key, if there is
 * a policy.
 *
 * @throws TypeError if `receivedAt` is not a time
 * @throws AlvariumError `SIGNER_UNKNOWN`, `SIGNATURE_INVALID`; with a trust policy also `SIGNER_NOT_ALLOWED`,
 * `SIGNER_EXPIRED` and `SIGNER_REVOKED`
 */
export async function verifyStatement(
  { signature, ...statement }: Statement & { readonly signature: string },
  identity: Uint8Array,
  options: Pick<VerifyOptions, 'keyring' | 'receivedAt'>,
): Promise<{ readonly signedBy?: SignedBy }> {
  const receivedAt = receivedMs(options.receivedAt)
  return withTrusted(options, ({ keyring, judge }) => {
    assertKnown(keyring, statement.signer)
    assertSigned(keyring, statement.signer, identity, toBytes(signature) as Uint8Array)
    return judge ? { signedBy: judge.set(statement, receivedAt) } : {}
  })
}
