import { loadAlgorithms } from '../../foundation/algorithms/load-algorithms.js'
import { expected } from '../../foundation/base/errors.js'
import type { WorkerPool } from '../../foundation/model/worker-pool.js'
import { platform } from '../../foundation/platform/platform.js'
import { openSigningKey } from '../keys/core-key.js'
import { isEcKey, openEc } from '../keys/ec-signing.js'
import { openHostKey } from '../keys/host-signing.js'
import type { SigningKeyInput } from '../keys/key-pair.js'
import { LEASED, type LeaseContext, type LeasedKey } from '../keys/leased-key.js'
import { externalSigner, isExternal, type Signer, type SignerInput } from '../keys/signer.js'
import { webSigner } from '../keys/web-signer.js'
import { externalSealer } from './external.js'
import { openCoreSealer } from './in-core.js'
import { type Names, namesOf } from './names.js'
import { openOutsideSealer } from './outside.js'
import { pooledSealer } from './pooled.js'
import type { Sealer, SealerSettings } from './sealer.js'

/** Settings of a sealer: common members of its bundles, its key, and its workers. */
export interface SigningSettings extends Omit<SealerSettings, keyof Names>, Omit<LeaseContext, 'log'> {
  readonly host?: string | undefined
  readonly tag?: string | undefined
  readonly signingKey: SignerInput | LeasedKey
  readonly signerTimeoutMs: number
  readonly pool?: WorkerPool | undefined
}

/**
 * @throws AlvariumError `KEY_INVALID`, or `CONFIG_INVALID` for host, tag and kinds that a bundle cannot hold;
 * `SIGNER_FAILED` without a lease
 */
export async function openSealer({ signingKey, ...given }: SigningSettings): Promise<Sealer> {
  if (Object(signingKey)[LEASED]) {
    return (signingKey as LeasedKey)[LEASED]((own) => openSealer({ ...given, signingKey: own }), given)
  }
  const { pool, signerTimeoutMs } = given
  const settings = { ...given, ...namesOf(given) }
  const signer = await signerFor(signingKey as SignerInput, settings)
  if (signer && pool) {
    const what = 'a signingKey that can be handed to workers'
    const isGiven = isExternal(signingKey as SignerInput)
    const got = isGiven ? 'a Signer or CryptoKeyPair' : 'engine host, where WebCrypto signs'
    throw expected('CONFIG_INVALID', 'pool', what, got)
  }
  if (signer) return externalSealer(settings, signer, signerTimeoutMs)
  const key = signingKey as SigningKeyInput
  // Workers sign too, so the messages of this sealer are not the whole log.
  const sealer = await openHere(pool ? { ...settings, log: undefined } : settings, key)
  if (!pool) return sealer
  try {
    return pooledSealer(pool, sealer, settings, key)
  } catch (error) {
    sealer.free()
    throw error
  }
}

/**
 * Returns an asynchronous signer: one of the options, or WebCrypto if the platform must sign and cannot do so
 * synchronously.
 */
async function signerFor(input: SignerInput, { engine }: SealerSettings): Promise<Signer | undefined> {
  const signer = await externalSigner(input)
  if (signer || engine !== 'host' || platform.hostSignatures) return signer
  const key = input as SigningKeyInput
  if (isEcKey(key)) await loadAlgorithms()
  return webSigner(key)
}

async function openHere(settings: SealerSettings, key: SigningKeyInput): Promise<Sealer> {
  const isByHost = settings.engine === 'host'
  if (isEcKey(key)) await loadAlgorithms()
  else if (!isByHost) return openCoreSealer(settings, openSigningKey(key))
  return openOutsideSealer(settings, isByHost ? openHostKey(key) : openEc(key))
}
