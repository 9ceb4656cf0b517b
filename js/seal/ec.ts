import { joined } from '../base/bytes/join.js'
import { type Draft, type Held, hold, withCore } from '../core/core.js'
import type { EcSigningKey } from '../keys/ec-signing.js'
import { crossing, Length, lengthAt } from './layout.js'
import { apiece, type PackedCalls } from './packed.js'
import { bundlesOf, type GroupSealer, holdSealer, type SealerSettings, takeFor } from './sealer.js'

/**
 * @internal A sealer with an EC key, which it takes over: the core makes the bundle, and the key signs beside it.
 * Throws as `openSealer` does, and as `withAlgorithms`.
 */
export function openEcSealer(settings: SealerSettings, key: EcSigningKey): GroupSealer {
  try {
    const sealer = holdSealer(settings, key.publicKey.keyId)
    const { log } = settings
    const sign = (draft: Held<Draft>, bundles: number) => {
      const isSigned = log?.drafted(bundles)
      let message: Uint8Array | undefined
      try {
        message = signed(key, draft)
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
        signer: key.publicKey.keyId,
        ed25519: undefined,
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

function signed(key: EcSigningKey, draft: Held<Draft>): Uint8Array {
  try {
    const signature = key.sign(withCore(() => draft.object.identity()))
    return withCore(() => draft.object.signed(signature))
  } finally {
    draft.release()
  }
}
