import { loadAlgorithms } from '../algorithms/load-algorithms.js'
import { expected } from '../base/errors.js'
import { isEcKey, openEc } from '../keys/ec-signing.js'
import { LEASED, type LeaseContext, type LeasedKey } from '../keys/leased-key.js'
import { externalSigner, type SignerInput } from '../keys/signer.js'
import { openSigningKey, type SigningKeyInput } from '../keys/signing.js'
import type { WorkerPool } from '../model/worker-pool.js'
import { openEcSealer } from './ec.js'
import { externalSealer } from './external.js'
import { openCoreSealer } from './in-core.js'
import { type Names, namesOf } from './names.js'
import { pooledSealer } from './pooled.js'
import type { Sealer, SealerSettings } from './sealer.js'

/** What bundles of one sealer have in common, who signs them, and where. */
export interface SigningSettings extends Omit<SealerSettings, keyof Names>, Omit<LeaseContext, 'log'> {
  readonly host?: string | undefined
  readonly tag?: string | undefined
  readonly signingKey: SignerInput | LeasedKey
  readonly signerTimeoutMs: number
  readonly pool?: WorkerPool | undefined
}

/**
 * @throws AlvariumError `KEY_INVALID`, or `CONFIG_INVALID` for host, tag and kinds that a bundle cannot hold; `SIGNER_FAILED` where
 * there is no lease
 */
export async function openSealer({ signingKey, ...given }: SigningSettings): Promise<Sealer> {
  if (Object(signingKey)[LEASED]) {
    return (signingKey as LeasedKey)[LEASED]((own) => openSealer({ ...given, signingKey: own }), given)
  }
  const { pool, signerTimeoutMs } = given
  const settings = { ...given, ...namesOf(given) }
  const signer = await externalSigner(signingKey as SignerInput)
  if (signer && pool) {
    const what = 'a signingKey that can be handed to workers'
    throw expected('CONFIG_INVALID', 'pool', what, 'a Signer or CryptoKeyPair')
  }
  if (signer) return externalSealer(settings, signer, signerTimeoutMs)
  const key = signingKey as SigningKeyInput
  // Workers sign too: what is signed here is not the whole log.
  const sealer = await openHere(pool ? { ...settings, log: undefined } : settings, key)
  if (!pool) return sealer
  try {
    return pooledSealer(pool, sealer, settings, key)
  } catch (error) {
    sealer.free()
    throw error
  }
}

async function openHere(settings: SealerSettings, key: SigningKeyInput): Promise<Sealer> {
  if (!isEcKey(key)) return openCoreSealer(settings, openSigningKey(key))
  await loadAlgorithms()
  return openEcSealer(settings, openEc(key))
}
