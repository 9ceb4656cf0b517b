import { type CoreObject, type Draft, hold, withCore } from '../../foundation/core/core.js'
import { openCheck } from '../keys/signature-check.js'
import { type ExternalKey, type Signer, signExternally } from '../keys/signer.js'
import { coreArguments } from './layout.js'
import { countBundles, holdSealer, prepareFor, type Sealer, type SealerSettings } from './sealer.js'

/** Opens a `Sealer` with a key in a key store, a hardware module or WebCrypto. Throws the errors of `openSealer`. */
export async function externalSealer(
  settings: SealerSettings,
  signer: Signer,
  timeoutMs: number,
): Promise<Sealer> {
  const check = await openCheck(signer.verifyingKey)
  try {
    const sealer = holdSealer(settings, check.keyId)
    const external = { signer, check, timeoutMs }
    const { log } = settings
    const sign = async (draft: CoreObject<Draft>, bundles: number) => {
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
      prepare: prepareFor(settings),
      seal: (call) =>
        sign(
          hold(() => sealer.object.draft(...coreArguments(call))),
          1,
        ),
      add: (call) => withCore(() => sealer.object.add(...coreArguments(call))),
      sealBatch: async () => {
        const draft = hold(() => sealer.object.draftBatch())
        // Read the ids now, because the core overwrites them with the next batch.
        const ids = withCore(() => sealer.object.batchIds())
        return { message: await sign(draft, countBundles(ids)), ids }
      },
      logSigner: {
        signer: check.keyId,
        ed25519: check.ed25519,
        sign: (text) => signExternally(external, text),
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

async function signDraft(draft: CoreObject<Draft>, external: ExternalKey): Promise<Uint8Array> {
  try {
    const signature = await signExternally(
      external,
      withCore(() => draft.object.identity()),
    )
    return withCore(() => draft.object.signed(signature))
  } finally {
    draft.release()
  }
}
