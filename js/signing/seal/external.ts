import { type Draft, type Held, hold, withCore } from '../../foundation/core/core.js'
import { checkOf } from '../keys/signature-check.js'
import { type External, type Signer, signedExternally } from '../keys/signer.js'
import { crossing } from './layout.js'
import { bundlesOf, holdSealer, type Sealer, type SealerSettings, takeFor } from './sealer.js'

/** Opens a sealer with an external key: in a key store, a hardware module, WebCrypto. Throws as `openSealer` does. */
export async function externalSealer(
  settings: SealerSettings,
  signer: Signer,
  timeoutMs: number,
): Promise<Sealer> {
  const check = await checkOf(signer.verifyingKey)
  try {
    const sealer = holdSealer(settings, check.keyId)
    const external = { signer, check, timeoutMs }
    const { log } = settings
    const sign = async (draft: Held<Draft>, bundles: number) => {
      const signed = log?.drafted(bundles)
      let message: Uint8Array | undefined
      try {
        message = await signDraft(draft, external)
      } finally {
        signed?.(message)
      }
      return message
    }
    return {
      take: takeFor(settings),
      seal: (call) =>
        sign(
          hold(() => sealer.object.draft(...crossing(call))),
          1,
        ),
      add: (call) => withCore(() => sealer.object.add(...crossing(call))),
      sealBatch: async () => {
        const draft = hold(() => sealer.object.draftBatch())
        // Read the ids now: the core has them only until the next batch.
        const ids = withCore(() => sealer.object.batchIds())
        return { message: await sign(draft, bundlesOf(ids)), ids }
      },
      logSigner: {
        signer: check.keyId,
        ed25519: check.ed25519,
        sign: (text) => signedExternally(external, text),
        takeLeaves: (bytes) => withCore(() => sealer.object.takeLeaves(bytes)),
      },
      free: () => {
        sealer.release()
        check.free()
      },
    }
  } catch (error) {
    check.free()
    throw error
  }
}

async function signDraft(draft: Held<Draft>, external: External): Promise<Uint8Array> {
  try {
    const signature = await signedExternally(
      external,
      withCore(() => draft.object.identity()),
    )
    return withCore(() => draft.object.signed(signature))
  } finally {
    draft.release()
  }
}
