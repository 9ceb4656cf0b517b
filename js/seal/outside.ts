import { joined } from '../base/bytes/join.js'
import { type Draft, type Held, hold, withCore } from '../core/core.js'
import { crossing, Length, lengthAt } from './layout.js'
import { apiece, type PackedCalls } from './packed.js'
import { bundlesOf, type GroupSealer, holdSealer, type SealerSettings, takeFor } from './sealer.js'

/** A private key that signs at once, but not in the core: on a curve, or in the platform. */
export interface OutsideKey {
  readonly keyId: string
  /** The 32 bytes of a public Ed25519 key. */
  readonly ed25519?: Uint8Array | undefined
  /** Returns 64 bytes. */
  sign(bytes: Uint8Array): Uint8Array
  /** Wipes the key. */
  free(): void
}

/**
 * @internal Opens a sealer with a key outside the core, which it takes over: the core makes the bundle, and the key signs it.
 * Throws as `openSealer` does, and as the key.
 */
export function openOutsideSealer(settings: SealerSettings, key: OutsideKey): GroupSealer {
  try {
    const sealer = holdSealer(settings, key.keyId)
    const { log } = settings
    const sign = (draft: Held<Draft>, bundles: number) => {
      const isSigned = log?.drafted(bundles)
      let message: Uint8Array | undefined
      try {
        message = signDraft(key, draft)
      } finally {
        isSigned?.(message)
      }
      return message
    }
    const draft = (...call: Parameters<typeof sealer.object.draft>) =>
      sign(
        hold(() => sealer.object.draft(...call)),
        1,
      )
    return {
      take: takeFor(settings),
      seal: (call) => draft(...crossing(call)),
      sealGroup: (group) => joined(apiece(group).map((one) => draft(...alone(one)))),
      add: (call) => withCore(() => sealer.object.add(...crossing(call))),
      sealBatch: () => {
        const draft = hold(() => sealer.object.draftBatch())
        const ids = withCore(() => sealer.object.batchIds())
        return { message: sign(draft, bundlesOf(ids)), ids }
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

/** A call of a group as one that crosses alone. */
function alone({ numbers, bytes }: PackedCalls): ReturnType<typeof crossing> {
  const length = lengthAt(numbers, Length)
  return [numbers, bytes.subarray(0, length), bytes.subarray(length)]
}

function signDraft(key: OutsideKey, draft: Held<Draft>): Uint8Array {
  try {
    const signature = key.sign(withCore(() => draft.object.identity()))
    return withCore(() => draft.object.signed(signature))
  } finally {
    draft.release()
  }
}
