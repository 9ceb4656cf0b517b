import { joined } from '../base/join.js'
import { type Draft, type Held, hold, withCore } from '../core/core.js'
import type { EcSigningKey } from '../keys/ec-signing.js'
import { crossing, Length, lengthAt } from './layout.js'
import { apiece, type Packed } from './packed.js'
import { type GroupSealer, holdSealer, type SealerSettings, takeFor } from './sealer.js'

/**
 * @internal A sealer with an EC key, which it takes over: the core makes the bundle, and the key signs beside it.
 * Throws as `openSealer` does, and as `withAlgorithms`.
 */
export function openEcSealer(settings: SealerSettings, key: EcSigningKey): GroupSealer {
  try {
    const sealer = holdSealer(settings, key.publicKey.keyId)
    const draft = (...call: Parameters<typeof sealer.object.draft>) =>
      signed(
        key,
        hold(() => sealer.object.draft(...call)),
      )
    return {
      take: takeFor(settings),
      seal: (call) => draft(...crossing(call)),
      sealGroup: (group) => joined(apiece(group).map((one) => draft(...alone(one)))),
      add: (call) => withCore(() => sealer.object.add(...crossing(call))),
      sealBatch: () => {
        const draft = hold(() => sealer.object.draftBatch())
        const ids = withCore(() => sealer.object.batchIds())
        return { message: signed(key, draft), ids }
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
function alone({ numbers, bytes }: Packed): ReturnType<typeof crossing> {
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
