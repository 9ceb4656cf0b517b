import { toHex } from '../../foundation/base/bytes/hex.js'
import { AlvariumError, type ErrorCode } from '../../foundation/base/errors.js'
import { runYielding, verifyTurns } from '../../foundation/base/time/turns.js'
import { Extent, hold, MaxBytes, withCore } from '../../foundation/core/core.js'
import type { IdentifiedBundle, Input } from '../../foundation/model/bundle.js'
import { CoreVerifier, type VerifyingCore } from '../../signing/keys/core-verifier.js'
import { assertSigned } from '../../signing/keys/keyring-use.js'
import { type Claims, claimsIn } from '../../signing/keys/outside-verifier.js'
import { verifyOne } from './one.js'
import { areOfInputs, assertMaxBundles, type BatchParts, cutSteps, inPart, LARGE_BYTES } from './parts.js'

const HASH_LENGTH = 32

/** Core that reads the unverified claims of messages, whatever public keys it holds. */
type ClaimReader = Pick<VerifyingCore, 'use'>

interface LargeClaims extends Omit<Claims, 'bundles'> {
  /** JSON of the bundles of each part: some bundles of a batch, or one bundle with some of its inputs. */
  readonly bundles: readonly Uint8Array[]
  /** JSON of the bundle without its inputs; undefined for a batch. */
  readonly short: Uint8Array | undefined
}

/**
 * Verifies a message that may take long, in parts, and yields to the event loop between them. Returns bundles
 * only after the whole message is verified.
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

async function bundlesOf({ bundles, short }: LargeClaims): Promise<IdentifiedBundle[]> {
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

/**
 * Cache of the identity bytes of large messages. The key of an entry is the message's first bundle, as an
 * object.
 */
const identities = new WeakMap<object, Uint8Array>()

/** Returns the identity bytes of a message, from the cache if this thread verified the message in parts. */
export function identityOf(first: object | undefined, text: () => Uint8Array): Uint8Array {
  return (first && identities.get(first)) ?? withCore((core) => core.identityOf(text(), false))
}

/** Computes the identity bytes of a message in parts. Needs no key, because the message was verified before. */
export async function identityOfClaims(text: Uint8Array): Promise<Uint8Array> {
  const parts = await partsOf(text)
  const identity = parts && (await withoutKeys((reader) => identityInParts(reader, parts)))
  return identity ?? withCore((core) => core.identityOf(text, false))
}

async function identityInParts(reader: ClaimReader, parts: BatchParts): Promise<Uint8Array | undefined> {
  return areParts(reader, parts) ? (await claimsOf(reader, parts)).identity : undefined
}

/** Reads the bundles that a message claims, with their ids, for comparison with a log. Verifies nothing. */
export function claimedBundles(text: Uint8Array): Promise<IdentifiedBundle[]> {
  return withoutKeys(async (reader) => {
    const parts = await partsOf(text)
    if (parts && areParts(reader, parts)) return bundlesOf(await claimsOf(reader, parts))
    return bundlesIn(readClaims(reader, text, Extent.Whole).bundles)
  })
}

async function withoutKeys<T>(read: (reader: ClaimReader) => Promise<T>): Promise<T> {
  const reader = new CoreVerifier({ keys: [], maxTableBytes: 0 })
  try {
    return await read(reader)
  } finally {
    reader.close()
  }
}

async function partsOf(text: Uint8Array): Promise<BatchParts | undefined> {
  return text.length > LARGE_BYTES ? runYielding(cutSteps(text)) : undefined
}

/** Returns the key id that a message claims as its signer. Computes no hashes. */
export async function claimantOf(trusted: ClaimReader, text: Uint8Array): Promise<string> {
  const parts = await partsOf(text)
  return trusted.use((verifier) => verifier.claimant(parts?.first ?? text))
}

/**
 * Returns whether parts were cut from a batch, or from a bundle with inputs. Reads only the first part, and
 * throws for an unknown signer. Ignores an invalid signature, because the signature usually covers all parts,
 * not the first one alone.
 */
function hasParts(trusted: VerifyingCore, parts: BatchParts, length: number): boolean {
  const { first } = parts
  const verdict = codeOf(() => verifyOne(trusted, first), ['SIGNATURE_INVALID', 'MESSAGE_MALFORMED'])
  // If the first part is malformed, read the text as a whole, unless it is too long: then its parts report
  // the fault.
  if (verdict === 'MESSAGE_MALFORMED') return length > MaxBytes.Message
  return areParts(trusted, parts)
}

/** Returns whether parts were cut from a batch, or from a bundle with inputs. Other messages are read as a whole. */
function areParts(claiming: ClaimReader, parts: BatchParts): boolean {
  const claim = () => claiming.use((verifier) => verifier.claimed(parts.first, Extent.Part))
  if (codeOf(claim, ['MESSAGE_MALFORMED'])) return false
  return isOfBatch(claiming, parts) || areOfInputs(parts)
}

function codeOf(run: () => unknown, codes: readonly ErrorCode[]): ErrorCode | undefined {
  try {
    run()
    return undefined
  } catch (error) {
    if (error instanceof AlvariumError && codes.includes(error.code)) return error.code
    throw error
  }
}

async function claimsOf(trusted: ClaimReader, parts: BatchParts): Promise<LargeClaims> {
  const tree = hold((core) => new core.Tree())
  try {
    const bundles: Uint8Array[] = []
    let [signer, signature, count] = ['', new Uint8Array() as Uint8Array, 0]
    for (let at = 0; at < parts.count; at++) {
      await verifyTurns.yieldIfDueLong()
      const claims = inPart(count, () => readClaims(trusted, parts.part(at), Extent.Part))
      ;({ signer, signature } = claims)
      bundles.push(claims.bundles)
      count += claims.identity.length / HASH_LENGTH
      assertMaxBundles(count)
      withCore(() => tree.object.grow(claims.identity))
    }
    const identity = withCore(() => {
      tree.object.end()
      return tree.object.identity(signer)
    })
    const whole = { signer, signature, bundles }
    if (isOfBatch(trusted, parts)) return { ...whole, identity, short: undefined }
    const inputs = { size: count, root: toHex(withCore(() => tree.object.root())) }
    const text = parts.with(new TextEncoder().encode(JSON.stringify(inputs)))
    const short = readClaims(trusted, text, Extent.Short)
    return { ...whole, identity: short.identity, short: short.bundles }
  } finally {
    tree.release()
  }
}

/** Returns whether parts were cut from a batch. In a batch, the leaves of the Merkle tree are the bundles' ids. */
function isOfBatch(trusted: ClaimReader, { first }: BatchParts): boolean {
  const { identity, bundles } = readClaims(trusted, first, Extent.Part)
  return bundlesIn(bundles)[0]?.id === toHex(identity)
}

function readClaims(trusted: ClaimReader, message: Uint8Array, extent: Extent): Claims {
  return claimsIn(trusted.use((verifier) => verifier.claimed(message, extent)))
}
