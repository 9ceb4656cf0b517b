import { loadAlgorithms } from '../../foundation/algorithms/load-algorithms.js'
import { conflicts } from '../../foundation/base/errors.js'
import type { WorkerPool } from '../../foundation/model/worker-pool.js'
import { platform } from '../../foundation/platform/platform.js'
import { openSigningKey } from '../keys/core-key.js'
import { isEcKey, openEc } from '../keys/ec/signing-key.js'
import { openHostKey } from '../keys/host-signing.js'
import type { SigningKeyInput } from '../keys/key-pair.js'
import { type LeaseContext, type LeasedKey, OPEN_LEASED } from '../keys/leased-key.js'
import { externalSigner, isExternal, type Signer, type SignerInput } from '../keys/signer.js'
import { webSigner } from '../keys/web-signer.js'
import { openCoreSealer } from './core-sealer.js'
import { externalSealer } from './external-sealer.js'
import { type HostAndTag, hostAndTagOf } from './host-and-tag.js'
import { openOutsideSealer } from './outside-sealer.js'
import { pooledSealer } from './pooled-sealer.js'
import type { Sealer, SealerSettings } from './sealer.js'

export interface SigningSettings extends Omit<SealerSettings, keyof HostAndTag>, Omit<LeaseContext, 'log'> {
  readonly host?: string | undefined
  readonly tag?: string | undefined
  readonly signingKey: SignerInput | LeasedKey
  readonly signerTimeoutMs: number
  readonly pool?: WorkerPool | undefined
}

/**
 * Opens a {@link Sealer}, which signs bundles, for the given private key or external signer.
 *
 * @throws AlvariumError `KEY_INVALID`; `CONFIG_INVALID` for host, tag and kinds that a bundle cannot contain,
 * and for a signer with a pool; `SIGNER_FAILED` for a leased key without a lease
 */
export async function openSealer({ signingKey, ...given }: SigningSettings): Promise<Sealer> {
  if (Object(signingKey)[OPEN_LEASED]) {
    return (signingKey as LeasedKey)[OPEN_LEASED](
      (leaseKey) => openSealer({ ...given, signingKey: leaseKey }),
      given,
    )
  }
  const { pool, signerTimeoutMs } = given
  const settings = { ...given, ...hostAndTagOf(given) }
  const signer = await signerFor(signingKey as SignerInput, settings)
  if (signer && pool) {
    const isGiven = isExternal(signingKey as SignerInput)
    throw conflicts(
      'pool',
      isGiven ? 'a Signer or CryptoKeyPair as signingKey: pass a private key' : "engine 'host'",
    )
  }
  if (signer) return externalSealer(settings, signer, signerTimeoutMs)
  const key = signingKey as SigningKeyInput
  // With a pool, pass no log: workers sign, too, so this sealer cannot log all messages. `pooledSealer` logs them.
  const sealer = await openLocal(pool ? { ...settings, log: undefined } : settings, key)
  if (!pool) return sealer
  try {
    return pooledSealer(pool, sealer, settings, key)
  } catch (error) {
    sealer.free()
    throw error
  }
}

/** Returns the external signer, or a WebCrypto signer if the engine is `host` and cannot sign synchronously. */
async function signerFor(input: SignerInput, { engine }: SealerSettings): Promise<Signer | undefined> {
  const signer = await externalSigner(input)
  if (signer || engine !== 'host' || platform.hostSignatures) return signer
  const key = input as SigningKeyInput
  if (isEcKey(key)) await loadAlgorithms()
  return webSigner(key)
}

async function openLocal(settings: SealerSettings, key: SigningKeyInput): Promise<Sealer> {
  const isByHost = settings.engine === 'host'
  if (isEcKey(key)) await loadAlgorithms()
  else if (!isByHost) return openCoreSealer(settings, openSigningKey(key))
  return openOutsideSealer(settings, isByHost ? openHostKey(key) : openEc(key))
}
