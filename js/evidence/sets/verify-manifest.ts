import { describe, needs } from '../../foundation/base/errors.js'
import { readOptions, strict } from '../../foundation/base/options/schema.js'
import { VERSION } from '../../foundation/base/version.js'
import type { SignedBy } from '../../signing/keys/trust-policy.js'
import type { VerifyOptions } from '../../verifying/verify/options.js'
import type { SetItem } from './entry.js'
import { entryOf } from './key-list.js'
import { type ManifestStatement, manifestIdentity, manifestIdOf, readManifest } from './manifest-message.js'
import { readProof } from './proof-message.js'
import { assertSaltOf, markVerified, trustMembers, verifyStatement } from './statement.js'
import { assertAbout, assertMember } from './verify-proof.js'

/**
 * @internal Symbol that marks a verified manifest. Sets have another symbol, so that no manifest passes for a
 * set: proofs of absence rely on sorted keys, but the keys of a manifest have the order of its file.
 */
export const VERIFIED_MANIFEST: unique symbol = Symbol.for(`alvarium-sdk.VerifiedManifest ${VERSION}`)

/** Manifest with a verified signature. */
export interface VerifiedManifest extends ManifestStatement {
  /** Hash of the statement, signer included: 64 lower-case hexadecimal digits. */
  readonly id: string
  /** Owner of the key, if a trust policy was evaluated. Undefined with a `Keyring`. */
  readonly signedBy?: SignedBy
  /** @internal */
  readonly [VERIFIED_MANIFEST]: { readonly salt: Uint8Array | undefined }
}

/** Trusted keys, time of receipt and salt for verifying a manifest. */
export interface VerifyManifestOptions extends Pick<VerifyOptions, 'keyring' | 'receivedAt'> {
  /** Salt of the manifest (32 bytes). It is needed to compare records with a manifest that has a salt. */
  readonly salt?: Uint8Array | undefined
}

const schema = strict(trustMembers)

/**
 * Verifies the message of a manifest, once for all proofs about its records. `openManifest` verifies a whole file.
 *
 * @param message - the message alone: the first line of the manifest's file
 * @throws TypeError if `message` is not a `Uint8Array`, or `receivedAt` is not a time
 * @throws AlvariumError `MESSAGE_MALFORMED`, `SIGNER_UNKNOWN`, `SIGNATURE_INVALID`; with a trust policy also
 * `SIGNER_NOT_ALLOWED`, `SIGNER_EXPIRED` and `SIGNER_REVOKED`; `CONFIG_INVALID` for the salt of another manifest
 *
 * @example
 * ```ts
 * import { sealManifest, verifyManifest } from 'alvarium-sdk/sets'
 *
 * const { message } = await sealManifest([payload], { signingKey, name: 'readings.csv' })
 * const { name, size } = await verifyManifest(message, { keyring })
 * console.log(name, size) // readings.csv 1
 * ```
 */
export async function verifyManifest(
  message: Uint8Array,
  options: VerifyManifestOptions,
): Promise<VerifiedManifest> {
  const { salt } = readOptions(schema, options, 'verifyManifest')
  const { signature, ...statement } = readManifest(message)
  const signedBy = await verifyStatement({ ...statement, signature }, manifestIdentity(statement), options)
  assertSaltOf(statement, salt)
  return verifiedManifest({ ...statement, ...signedBy }, salt)
}

export function verifiedManifest(
  statement: ManifestStatement & { readonly signedBy?: SignedBy },
  salt: Uint8Array | undefined,
): VerifiedManifest {
  const { signedBy, ...members } = statement
  const verified = { ...members, id: manifestIdOf(members), ...(signedBy && { signedBy }) }
  return markVerified(verified, VERIFIED_MANIFEST, salt) as VerifiedManifest
}

/** Result of verifying a record: its place in the manifest. */
export interface VerifiedRecord {
  /** Number of the record, counted from 1. */
  readonly number: number
}

/**
 * Verifies that a record is in a manifest, and returns the number of the record. Compare the number with the
 * one that you expect.
 *
 * @param manifest - result of `verifyManifest`, or `statement` of an opened manifest
 * @param proof - proof of `proveRecord`, made from the manifest's file
 * @param item - the payload of the record, an object with its bytes, or its payload key
 * @throws TypeError if `proof` is not a `Uint8Array`, or `manifest` is not a verified manifest
 * @throws AlvariumError `MESSAGE_MALFORMED`; `PROOF_INVALID` if the proof is about another manifest or
 * record, or does not lead to the root; `CONFIG_INVALID` if the manifest has a salt that was not given
 *
 * @example
 * ```ts
 * import { proveRecord, sealManifest, verifyManifest, verifyRecord } from 'alvarium-sdk/sets'
 *
 * const manifest = await sealManifest([payload], { signingKey, name: 'readings.csv' })
 * const verified = await verifyManifest(manifest.message, { keyring })
 * console.log(verifyRecord(verified, proveRecord(manifest, 1), payload).number) // 1
 * ```
 */
export function verifyRecord(manifest: VerifiedManifest, proof: Uint8Array, item: SetItem): VerifiedRecord {
  if (typeof manifest !== 'object' || manifest === null || !(VERIFIED_MANIFEST in manifest)) {
    throw new TypeError(`manifest: expected the result of verifyManifest, got ${describe(manifest)}`)
  }
  const read = readProof(proof)
  const entry = entryOf(item, saltIn(manifest))
  assertAbout(read, 'member', 'manifest', manifest.root)
  assertMember(manifest, read, entry)
  return { number: read.index + 1 }
}

/** @throws AlvariumError `CONFIG_INVALID` if the manifest's salt was not given */
export function saltIn({
  salt: commitment,
  [VERIFIED_MANIFEST]: { salt },
}: VerifiedManifest): Uint8Array | undefined {
  if (commitment === undefined || salt) return salt
  throw needs('salt', 'the salt of the manifest, as an option of openManifest or verifyManifest')
}
