import type { SigningRun, SigningRuns } from '../../signing/seal/log.js'
import { openSealer } from '../../signing/seal/open-sealer.js'
import type { Sealer } from '../../signing/seal/sealer.js'
import type { SdkSettings } from '../config/options.js'

/** Open signing key: the `Sealer` that signs with it, and its log if the SDK signs checkpoints. */
export interface OpenedKey {
  readonly sealer: Sealer
  readonly run: SigningRun | undefined
}

/**
 * Opens the signing key in `settings`, signs its first lease, and begins its log.
 *
 * @param runs - logs of the SDK, if it signs checkpoints
 * @param ready - connects or checks all that the log needs. If it throws, the key is wiped
 * @throws AlvariumError as `openSealer` and `ready` do
 */
export async function openKey(
  settings: SdkSettings,
  runs: SigningRuns | undefined,
  ready: (sealer: Sealer) => Promise<void> | void,
): Promise<OpenedKey> {
  const run = runs?.next()
  const sealer = await openSealer({ ...settings, log: run })
  try {
    await ready(sealer)
    if (run && sealer.logSigner) await run.begin(sealer.logSigner, settings)
  } catch (error) {
    sealer.free()
    await sealer.end?.()
    throw error
  }
  return { sealer, run }
}
