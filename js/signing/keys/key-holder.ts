import { expected } from '../../foundation/base/errors.js'
import { signingAlgorithmOf } from './algorithm-of.js'
import { openSigningKey, publicHalf, wipeStack } from './core-key.js'
import { CURVES, type Curve } from './ec/curves.js'
import { spkiOf } from './ec/der.js'
import { ecKeyIn } from './ec/public-key.js'
import { isEcKey, openEc } from './ec/signing-key.js'
import { keyBytes } from './forms/key-bytes.js'
import { OPEN_LEASED } from './leased-key.js'
import { openCheck } from './signature-check.js'
import { externalSigner, isExternal, type SignerInput, signExternally } from './signer.js'
import { type SigningKeyInput, signBytes, signWithEc, signWithEd25519 } from './signing.js'
import { withPublicKey } from './verifying.js'

export interface KeyHolder {
  readonly keyId: string
  /** Bytes from which the key id is computed (FORMAT.md, Keys and key ids). */
  readonly key: Uint8Array
  sign(bytes: Uint8Array): Promise<Uint8Array>
}

/** A signer with a key that stays open for many signatures, because opening a key takes longer than signing. */
export interface OpenKeyHolder extends KeyHolder {
  free(): void
}

export async function openKeyHolder(input: SignerInput, timeoutMs: number): Promise<OpenKeyHolder> {
  if (isExternal(input)) return { ...(await keyHolderOf(input, timeoutMs)), free: () => {} }
  assertLasting(input)
  await signingAlgorithmOf(input)
  return openKey(input)
}

/** Returns a signer that opens its key for each call. @throws the errors of {@link openKeyHolder} */
export async function keyHolderOf(input: SignerInput, timeoutMs: number): Promise<KeyHolder> {
  assertLasting(input)
  const signer = await externalSigner(input)
  if (!signer) return holdOwnKey(input as SigningKeyInput)
  const named = namedKey(keyBytes(signer.verifyingKey, 'verifyingKey'))
  const sign = async (bytes: Uint8Array) => {
    const check = await openCheck(named.key)
    try {
      return await signExternally({ signer, check, timeoutMs }, bytes)
    } finally {
      check.free()
    }
  }
  return { ...named, sign }
}

const LEASED_KEY = 'leased(): pass the key that signs the leases, because the signature outlives a lease'

/** Refuses leased keys, because signatures of a `KeyHolder` must verify for years, long after a lease has ended. */
function assertLasting(input: unknown): void {
  if (!Object(input)[OPEN_LEASED]) return
  throw expected('KEY_INVALID', 'signingKey', 'a private key or a Signer', LEASED_KEY)
}

async function holdOwnKey(input: SigningKeyInput): Promise<KeyHolder> {
  await signingAlgorithmOf(input)
  return { ...publicKeyOf(input), sign: async (bytes) => signBytes(input, bytes) }
}

/** Returns the public key of a private key. Keys of algorithms other than Ed25519 need `loadAlgorithms` first. */
export function publicKeyOf(input: SigningKeyInput): Omit<KeyHolder, 'sign'> {
  const { key, keyId, free } = openKey(input)
  free()
  return { key, keyId }
}

function openKey(input: SigningKeyInput): OpenKeyHolder {
  if (isEcKey(input)) {
    const key = openEc(input)
    return {
      ...namedEcKey(key.publicKey),
      sign: async (bytes) => signWithEc(key, bytes),
      free: () => key.free(),
    }
  }
  const key = openSigningKey(input)
  const free = () => {
    key.release()
    wipeStack()
  }
  try {
    const { bytes: half, keyId } = publicHalf(key.object)
    return { key: half, keyId, sign: async (bytes) => signWithEd25519(key, bytes), free }
  } catch (error) {
    free()
    throw error
  }
}

function namedKey(bytes: Uint8Array): Omit<KeyHolder, 'sign'> {
  const other = ecKeyIn(bytes)
  return other ? namedEcKey(other) : withPublicKey(bytes, (key) => ({ key: key.toBytes(), keyId: key.id() }))
}

function namedEcKey({ number, point, keyId }: ReturnType<typeof openEc>['publicKey']) {
  const curve = CURVES.find((one) => one.number === number) as Curve
  return { key: spkiOf(curve, point), keyId }
}
