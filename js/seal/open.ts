import { AlvariumError } from '../base/errors.js'
import type { SigningKeyInput } from '../keys/signing.js'
import type { WorkerPool } from '../model/worker-pool.js'
import { externalSealer } from './elsewhere.js'
import { openCoreSealer } from './in-core.js'
import { pooledSealer } from './pooled.js'
import { namesOf, type Sealer, type SealerSettings } from './sealer.js'
import { externalSigner, type SignerInput } from './signer.js'

/** What bundles of one sealer have in common, who signs them, and where. */
export interface SigningSettings extends SealerSettings {
  readonly signingKey: SignerInput
  readonly signerTimeoutMs: number
  readonly pool?: WorkerPool | undefined
}

/** @throws AlvariumError `KEY_INVALID`, or `CONFIG_INVALID` for host, tag and kinds that a bundle cannot hold */
export async function openSealer(settings: SigningSettings): Promise<Sealer> {
  const { pool, signerTimeoutMs } = settings
  const signer = await externalSigner(settings.signingKey)
  if (signer && pool) {
    const text = 'pool: expected a signingKey that can be handed to workers, got a Signer or CryptoKeyPair'
    throw new AlvariumError('CONFIG_INVALID', text)
  }
  if (signer) return externalSealer(settings, signer, signerTimeoutMs)
  const signingKey = settings.signingKey as SigningKeyInput
  const sealer = openCoreSealer(settings, signingKey)
  if (!pool) return sealer
  try {
    return pooledSealer(pool, sealer, { ...settings, ...namesOf(settings) }, signingKey)
  } catch (error) {
    sealer.free()
    throw error
  }
}
