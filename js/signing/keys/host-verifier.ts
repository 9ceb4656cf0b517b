import { toBytes } from '../../foundation/base/bytes/hex.js'
import { AlvariumError, expected } from '../../foundation/base/errors.js'
import { assertNames } from '../../foundation/base/options/names.js'
import { joinWithOr, show } from '../../foundation/base/options/schema.js'
import type { EcKey } from '../../foundation/model/algorithm.js'
import { ENGINES, type Engine } from '../../foundation/model/payload.js'
import { type HostSignatures, platform } from '../../foundation/platform/platform.js'
import { P256 } from './ec/curves.js'
import { spkiOf } from './ec/der.js'

/** Options of a function that signs or verifies with a key: the code that computes signatures. */
export interface SignatureOptions {
  /**
   * The code that computes signatures. `host`: the platform's own Ed25519 or P-256 in Node, Deno and Bun. `auto` and
   * `wasm`: the core. The verdicts are the same with each engine. Default `auto`.
   */
  readonly engine?: Engine | undefined
}

/** @internal Returns whether `engine` selects the platform. @throws AlvariumError `CONFIG_INVALID` if invalid */
export function isByHost(options: SignatureOptions, root: string): boolean {
  assertNames(options, ['engine'], `${root}.`)
  const { engine = 'auto' } = options
  if (!ENGINES.includes(engine)) {
    throw expected('CONFIG_INVALID', `${root}.engine`, joinWithOr(ENGINES, engine), show('engine', engine))
  }
  return engine === 'host'
}

/** A public key for the platform: the 32 bytes of an Ed25519 key, which the core has read, or an EC key. */
export type HostKey = Uint8Array | EcKey

export type VerifyFunction = (bytes: Uint8Array, signature: Uint8Array) => boolean

/** Bytes that precede the 32 bytes of the key in SubjectPublicKeyInfo of Ed25519 (RFC 8410 §4). */
const SPKI = Uint8Array.of(0x30, 0x2a, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 3, 0x21, 0)

export function hostSpki(key: HostKey): Uint8Array {
  if (key instanceof Uint8Array) return Uint8Array.of(...SPKI, ...key)
  const { algorithm, point } = key
  if (algorithm === 'P-256' && point) return spkiOf(P256, point)
  throw expected('CONFIG_INVALID', 'engine', `auto or wasm with a key of ${algorithm}`, 'host')
}

/**
 * Opens a public key in the platform. The returned function also applies rules that platforms may not check.
 *
 * @throws AlvariumError `CONFIG_INVALID` where the platform cannot verify, `CORE_UNAVAILABLE` when its code fails
 */
export function hostVerifier(key: HostKey): VerifyFunction {
  const spki = hostSpki(key)
  const signatures = hostSignatures()
  const isEd25519 = key instanceof Uint8Array
  if (isEd25519) callPlatform(() => assertSameRules(signatures))
  const verify = callPlatform(() => signatures.openVerifier(spki))
  const isStrict = isEd25519 ? isStrictEd25519 : hasLowerS
  return (bytes, signature) => isStrict(signature) && callPlatform(() => verify(bytes, signature))
}

/** Order ℓ of the Ed25519 group, most significant byte first. */
const ORDER = bytesOf('1000000000000000000000000000000014def9dea2f79cd65812631a5cf5d3ed')
/** Encodings of the neutral point: y or y + p, least significant byte first. The highest bit is the sign of x. */
const NEUTRAL = [
  `01${'00'.repeat(31)}`,
  `01${'00'.repeat(30)}80`,
  `ee${'ff'.repeat(30)}7f`,
  `ee${'ff'.repeat(31)}`,
].map(bytesOf)

/** Checks two rules of FORMAT.md, "Signatures at the edge": S is below ℓ, and R does not encode the neutral point. */
function isStrictEd25519(signature: Uint8Array): boolean {
  if (signature.length !== 64 || !isBelow(Uint8Array.from(signature.subarray(32)).reverse(), ORDER))
    return false
  return !NEUTRAL.some((neutral) => neutral.every((byte, at) => signature[at] === byte))
}

/** Half of the order n of P-256, rounded up. FORMAT.md permits only signatures with s below this number. */
const HALF_ORDER = bytesOf('7fffffff800000007fffffffffffffffde737d56d38bcf4279dce5617e3192a9')

function hasLowerS(signature: Uint8Array): boolean {
  return signature.length === 64 && isBelow(signature.subarray(32), HALF_ORDER)
}

function isBelow(number: Uint8Array, bound: Uint8Array): boolean {
  for (const [at, byte] of number.entries()) {
    const limit = bound[at] as number
    if (byte !== limit) return byte < limit
  }
  return false
}

export function hostSignatures(): HostSignatures {
  const signatures = platform.hostSignatures?.()
  if (signatures) return signatures
  throw noHost('the platform has no synchronous functions for signatures')
}

let hasSameRules = false

/**
 * Tests the platform with two signatures over an empty message. One is valid, and the R of the other has a
 * component of small order. A platform that multiplies by the cofactor accepts both, but FORMAT.md refuses
 * the second.
 */
function assertSameRules({ openVerifier }: HostSignatures): void {
  if (hasSameRules) return
  const verify = openVerifier(hostSpki(SAMPLE.publicKey))
  hasSameRules = verify(new Uint8Array(), SAMPLE.good) && !verify(new Uint8Array(), SAMPLE.mixed)
  if (!hasSameRules)
    throw noHost('the platform verifies Ed25519 signatures by other rules than the WebAssembly core')
}

function noHost(why: string): AlvariumError {
  return expected('CONFIG_INVALID', 'engine', 'auto or wasm', `host: ${why}`)
}

/** Signatures with the key of a seed of 32 zero bytes, computed by tests/attack/curve.mjs. */
const SAMPLE = {
  publicKey: bytesOf('3b6a27bcceb6a42d62a3a8d02a6f0d73653215771de243a63ac048a18b59da29'),
  good: bytesOf(
    'bfed83560489a1669414b4b9f05ab625c8cfa4020e44b8417af759a41ae0fca96176c113f1c5f270267d2e4135ac4f1492bcf20234d419c1e8c96c0d641e7d0c',
  ),
  mixed: bytesOf(
    '752d79be632852e35e11677291f7bd35c2369f713f698bae72740edd8dc367efea3f7d4a29c272dd41be2342ea68e847dd907c2ffa1c6ed3cf6ccb32ea58ab08',
  ),
}

/**
 * Calls the platform. An error of the platform is not a verdict about a message or a key.
 *
 * @throws AlvariumError `CORE_UNAVAILABLE` for an error of the platform
 */
export function callPlatform<T>(run: () => T): T {
  try {
    return run()
  } catch (cause) {
    if (cause instanceof AlvariumError) throw cause
    const expectation = "the platform's Ed25519 and P-256 to work"
    throw expected('CORE_UNAVAILABLE', 'engine', expectation, undefined, cause)
  }
}

function bytesOf(hex: string): Uint8Array {
  return toBytes(hex) as Uint8Array
}
