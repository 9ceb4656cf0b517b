import { joinMessages } from '../../foundation/base/bytes/join.js'
import { type CoreObject, type Draft, hold, withCore } from '../../foundation/core/core.js'
import { coreArguments, Length, lengthAt } from './layout.js'
import { type PackedCalls, splitCalls } from './packed.js'
import { countBundles, type GroupSealer, holdSealer, prepareFor, type SealerSettings } from './sealer.js'

/** A private key that signs synchronously outside the core: an EC key, or a key in the platform. */
export interface OutsideKey {
  readonly keyId: string
  /** Public key if the algorithm is Ed25519: 32 bytes. */
  readonly ed25519?: Uint8Array | undefined
  /** Signs bytes, and returns a signature of 64 bytes. */
  sign(bytes: Uint8Array): Uint8Array
  /** Wipes the private key. */
  free(): void
}

/**
 * @internal Opens a `Sealer` that signs with a private key outside the core. Throws the errors of
 * `openSealer`.
 */
export function openOutsideSealer(settings: SealerSettings, key: OutsideKey): GroupSealer {
  try {
    const sealer = holdSealer(settings, key.keyId)
    const { log } = settings
    const sign = (draft: CoreObject<Draft>, bundles: number) => {
      const signed = log?.drafted(bundles)
      let message: Uint8Array | undefined
      try {
        message = signDraft(key, draft)
      } finally {
        signed?.(message)
      }
      return message
    }
    const draft = (...call: Parameters<typeof sealer.object.draft>) =>
      sign(
        hold(() => sealer.object.draft(...call)),
        1,
      )
    return {
      prepare: prepareFor(settings),
      seal: (call) => draft(...coreArguments(call)),
      sealGroup: (group) => joinMessages(splitCalls(group).map((one) => draft(...packedArguments(one)))),
      add: (call) => withCore(() => sealer.object.add(...coreArguments(call))),
      sealBatch: () => {
        const draft = hold(() => sealer.object.draftBatch())
        const ids = withCore(() => sealer.object.batchIds())
        return { message: sign(draft, countBundles(ids)), ids }
      },
      logSigner: {
        signer: key.keyId,
        ed25519: key.ed25519,
        sign: (text) => key.sign(text),
        takeLeaves: (bytes) => withCore(() => sealer.object.takeLeaves(bytes)),
      },
      free: () => {
        key.free()
        sealer.release()
      },
    }
  } catch (error) {
    key.free()
    throw error
  }
}

function packedArguments({ numbers, bytes }: PackedCalls): ReturnType<typeof coreArguments> {
  const length = lengthAt(numbers, Length)
  return [numbers, bytes.subarray(0, length), bytes.subarray(length)]
}

function signDraft(key: OutsideKey, draft: CoreObject<Draft>): Uint8Array {
  try {
    const signature = key.sign(withCore(() => draft.object.identity()))
    return withCore(() => draft.object.signed(signature))
  } finally {
    draft.release()
  }
}
