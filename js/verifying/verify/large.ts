import { toHex } from '../../foundation/base/bytes/hex.js'
import { messagesOf } from '../../foundation/base/bytes/join.js'
import { AlvariumError, type ErrorCode } from '../../foundation/base/errors.js'
import { runYielding, verifyTurns } from '../../foundation/base/time/turns.js'
import { Extent, hold, MaxBytes, withCore } from '../../foundation/core/core.js'
import type { IdentifiedBundle, Input } from '../../foundation/model/bundle.js'
import { Keyring } from '../../signing/keys/keyring.js'
import { assertSigned } from '../../signing/keys/keyring-use.js'
import { SIGNATURE_LENGTH } from '../../signing/keys/outside-verifier.js'
import { type VerifyingCore, verifyOne } from './one.js'
import { areOfInputs, assertMaxBundles, type BatchParts, cutSteps, inPart, LARGE_BYTES } from './parts.js'

const HASH_LENGTH = 32

/** Core that reads the unverified claims of messages, whatever public keys it holds. */
type ClaimReader = Pick<VerifyingCore, 'use'>

/** Unverified claims of a message: signer, signature and bundles. */
interface Claims {
  readonly signer: string
  readonly signature: Uint8Array
  /** Bytes that the signature must cover (FORMAT.md, Identity bytes). */
  readonly identity: Uint8Array
  /** JSON of the bundles of each part: some bundles of a batch, or one bundle with some of its inputs. */
  readonly bundles: readonly Uint8Array[]
  /** JSON of the bundle without its inputs; undefined for a batch. */
  readonly short: Uint8Array | undefined
}

/**
 * Verifies a message that may take long, in parts, and yields to the event loop between them. Returns bundles
 * only after the whole message is verified.
 *
 * @throws AlvariumError as {@link verifyOne} does
 */
export async function verifyLarge(trusted: VerifyingCore, text: Uint8Array): Promise<IdentifiedBundle[]> {
  const parts = await runYielding(cutSteps(text))
  if (!parts || !hasParts(trusted, parts, text.length)) return JSON.parse(verifyOne(trusted, text))
  const claims = await claimsOf(trusted, parts)
  const { signer, identity, signature } = claims
  assertSigned(trusted, signer, identity, signature)
  const verified = await bundlesOf(claims)
  const [first] = verified
  if (first) identities.set(first, identity)
  return verified
}

async function bundlesOf({ bundles, short }: Claims): Promise<IdentifiedBundle[]> {
  const all: IdentifiedBundle[] = []
  // Collect inputs part by part, because collecting all 65,536 at the end blocked the event loop for 10 ms more.
  const inputs: Input[] = []
  for (const json of bundles) {
    await verifyTurns.yieldIfDueLong()
    for (const bundle of bundlesIn(json)) {
      if (short) inputs.push(...(bundle.inputs ?? []))
      else all.push(bundle)
    }
  }
  if (short) for (const bundle of bundlesIn(short)) all.push({ ...bundle, inputs })
  return all
}

function bundlesIn(json: Uint8Array): IdentifiedBundle[] {
  return JSON.parse(new TextDecoder().decode(json))
}

/** Cache of the identity bytes of large messages. Its keys are their first bundles, as objects. */
const identities = new WeakMap<object, Uint8Array>()

/** Returns the identity bytes of a message, from the cache if this thread verified the message in parts. */
export function identityOf(first: object | undefined, text: () => Uint8Array): Uint8Array {
  return (first && identities.get(first)) ?? withCore((core) => core.identityOf(text(), false))
}

/**
 * Computes the identity bytes of a message in parts. Needs no key, because the message was verified before.
 *
 * @throws AlvariumError `MESSAGE_MALFORMED`
 */
export async function identityOfClaims(text: Uint8Array): Promise<Uint8Array> {
  const parts = text.length > LARGE_BYTES ? await runYielding(cutSteps(text)) : undefined
  return (parts && (await identityInParts(parts))) ?? withCore((core) => core.identityOf(text, false))
}

/**
 * Reads the bundles that a message claims, with their ids, for comparison with a log. Verifies nothing.
 *
 * @throws AlvariumError `MESSAGE_MALFORMED`
 */
export async function claimedBundles(text: Uint8Array): Promise<IdentifiedBundle[]> {
  const parts = text.length > LARGE_BYTES ? await runYielding(cutSteps(text)) : undefined
  const emptyKeyring = new Keyring()
  try {
    if (parts && areParts(emptyKeyring, parts)) return await bundlesOf(await claimsOf(emptyKeyring, parts))
    const [, , bundles] = readClaims(emptyKeyring, text, Extent.Whole)
    return bundlesIn(bundles)
  } finally {
    emptyKeyring.close()
  }
}

async function identityInParts(parts: BatchParts): Promise<Uint8Array | undefined> {
  const nobody = new Keyring()
  try {
    return areParts(nobody, parts) ? (await claimsOf(nobody, parts)).identity : undefined
  } finally {
    nobody.close()
  }
}

/**
 * Returns the key id that a message claims as its signer. Computes no hashes.
 *
 * @throws AlvariumError `MESSAGE_MALFORMED`
 */
export async function claimantOf(trusted: ClaimReader, text: Uint8Array): Promise<string> {
  const parts = text.length > LARGE_BYTES ? await runYielding(cutSteps(text)) : undefined
  return trusted.use((verifier) => verifier.claimant(parts?.first ?? text))
}

/**
 * Returns whether parts were cut from a batch, or from a bundle with inputs. Reads only the first part, and
 * throws for an unknown signer. Ignores an invalid signature, because the signature usually covers all
 * parts and not only the first.
 */
function hasParts(trusted: VerifyingCore, parts: BatchParts, length: number): boolean {
  const { first } = parts
  const verdict = codeOf(() => verifyOne(trusted, first), ['SIGNATURE_INVALID', 'MESSAGE_MALFORMED'])
  // Read a text with a malformed first part as a whole if it is short enough. Otherwise, its parts report the fault.
  if (verdict === 'MESSAGE_MALFORMED') return length > MaxBytes.Message
  return areParts(trusted, parts)
}

/** Returns whether parts were cut from a batch, or from a bundle with inputs. Other messages are read as a whole. */
function areParts(claiming: ClaimReader, parts: BatchParts): boolean {
  const claim = () => claiming.use((verifier) => verifier.claimed(parts.first, Extent.Part))
  if (codeOf(claim, ['MESSAGE_MALFORMED'])) return false
  return isOfBatch(claiming, parts) || areOfInputs(parts)
}

/** Calls a function. Returns the code of its error if the code is listed, and rethrows other errors. */
function codeOf(run: () => unknown, codes: readonly ErrorCode[]): ErrorCode | undefined {
  try {
    run()
    return undefined
  } catch (error) {
    if (error instanceof AlvariumError && codes.includes(error.code)) return error.code
    throw error
  }
}

async function claimsOf(trusted: ClaimReader, parts: BatchParts): Promise<Claims> {
  const tree = hold((core) => new core.Tree())
  try {
    const bundles: Uint8Array[] = []
    let [signed, count] = [new Uint8Array(), 0]
    for (let at = 0; at < parts.count; at++) {
      await verifyTurns.yieldIfDueLong()
      const [leaves, itsSigned, json] = inPart(count, () => readClaims(trusted, parts.part(at), Extent.Part))
      signed = itsSigned
      bundles.push(json)
      count += leaves.length / HASH_LENGTH
      assertMaxBundles(count)
      withCore(() => tree.object.grow(leaves))
    }
    const signer = new TextDecoder().decode(signed.subarray(SIGNATURE_LENGTH))
    const identity = withCore(() => {
      tree.object.end()
      return tree.object.identity(signer)
    })
    const whole = { signer, signature: signed.subarray(0, SIGNATURE_LENGTH), bundles }
    if (isOfBatch(trusted, parts)) return { ...whole, identity, short: undefined }
    const inputs = { size: count, root: toHex(withCore(() => tree.object.root())) }
    const text = parts.with(new TextEncoder().encode(JSON.stringify(inputs)))
    const [shortIdentity, , short] = readClaims(trusted, text, Extent.Short)
    return { ...whole, identity: shortIdentity, short }
  } finally {
    tree.release()
  }
}

/** Returns whether parts were cut from a batch. In a batch, the leaves of the Merkle tree are the bundles' ids. */
function isOfBatch(trusted: ClaimReader, { first }: BatchParts): boolean {
  const [leaf, , bundles] = readClaims(trusted, first, Extent.Part)
  return bundlesIn(bundles)[0]?.id === toHex(leaf)
}

/**
 * Reads the claims of a message: its identity bytes, its signature with the signer, and its bundles. A part
 * has leaves of the Merkle tree in place of identity bytes.
 */
function readClaims(trusted: ClaimReader, message: Uint8Array, extent: Extent) {
  const joined = trusted.use((verifier) => verifier.claimed(message, extent))
  return messagesOf(joined) as [Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>]
}
