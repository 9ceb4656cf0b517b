import { type Draft, type Held, hold, withCore } from '../core/core.js'
import { withVerifyingKey } from '../keys/verifying.js'
import { crossing } from './layout.js'
import { holdSealer, type Sealer, type SealerSettings, takeFor } from './sealer.js'
import { type Signer, signDraft } from './signer.js'

/** A sealer whose key is elsewhere: in a key store, a hardware module, WebCrypto. Throws as `openSealer` does. */
export function externalSealer(settings: SealerSettings, signer: Signer, timeoutMs: number): Sealer {
  const sealer = withVerifyingKey(signer.verifyingKey, (key) => holdSealer(settings, key))
  const sign = (draft: Held<Draft>) => signDraft(draft, signer, timeoutMs)
  return {
    take: takeFor(settings),
    seal: (call) => sign(hold(() => sealer.object.draft(...crossing(call)))),
    add: (call) => withCore(() => sealer.object.add(...crossing(call))),
    sealBatch: () => sign(hold(() => sealer.object.draftBatch())),
    free: () => sealer.release(),
  }
}
