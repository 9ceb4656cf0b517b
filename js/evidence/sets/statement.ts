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

/** Fields that set and manifest statements share. `SetStatement` describes them. */
export interface Statement {
  readonly signer: string
  readonly name: string
  readonly host: string
  readonly timestamp: string
  readonly size: number
  readonly root: string
  readonly salt?: string | undefined
}

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

/** Schemas of the options for verifying a statement. */
export const trustMembers = {
  keyring: v.unknown(),
  receivedAt: v.optional(v.unknown()),
  salt: v.optional(bytes),
}

/** Returns whether a text is a time. A time has at most 35 characters: nine fraction digits and an offset. */
function isTimestamp(given: string): boolean {
  return given.length <= 35 && withCore((core) => core.isTimestamp(given))
}

/** Asserts that readers will accept the members that a signer chooses. @throws AlvariumError `CONFIG_INVALID` */
export function assertSignerMembers(members: object): void {
  const { success, issues } = v.safeParse(strict(signerMembers), members)
  if (success) return
  const [{ message, path }] = issues
  throw expected('CONFIG_INVALID', `${path?.[0]?.key}`, message, describe(path?.[0]?.value))
}

/**
 * Asserts that only an empty tree has the root of an empty tree.
 *
 * @param name - name of the message in errors
 * @param nothing - what an empty tree stands for, in errors
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
 * Returns the signed bytes of a statement. Every text follows its length, and a byte says whether there is a
 * salt. Every other field has a fixed length, so two different statements never have the same bytes.
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

/** Returns the commitment to a salt. With the commitment, a verifier recognises the right salt. */
export function saltCommitment(salt: Uint8Array): string {
  const text = join([SALT_DOMAIN, salt]).bytes
  return toHex(hashPieces(text, text.length))
}

/** Asserts that a salt has 32 bytes. @throws AlvariumError `CONFIG_INVALID` */
export function assertSalt(salt: Uint8Array | undefined): void {
  if (salt === undefined || salt.length === HASH_BYTES) return
  throw expected('CONFIG_INVALID', 'salt', `${HASH_BYTES} random bytes`, `${salt.length}`)
}

/** Asserts that a salt, if there is one, belongs to a statement. @throws AlvariumError `CONFIG_INVALID` */
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
 * Verifies the signature of a statement, and that the trust policy permits the statement.
 *
 * @param identity - signed bytes of the statement
 * @returns the owner of the key, if there is a trust policy
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
