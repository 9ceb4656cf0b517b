import { borrow, type Held, type SigningKey, withCore } from '../core/core.js'
import { wipeStack } from '../keys/signing.js'
import { Coalescer } from './coalescer.js'
import { crossing } from './layout.js'
import type { Packed } from './packed.js'
import { type GroupSealer, holdSealer, type SealerSettings, takeFor } from './sealer.js'

/** @internal A sealer with a key that it takes over. Throws as `openSealer` does. */
export function openCoreSealer(settings: SealerSettings, key: Held<SigningKey>): GroupSealer {
  try {
    const sealer = borrow(
      () => key.object.verifyingKey(),
      (half) => holdSealer(settings, half.id()),
    )
    const sealGroup = ({ numbers, bytes }: Packed) =>
      withCore(() => sealer.object.sealGroup(key.object, numbers, bytes))
    const together = new Coalescer({
      one: (call) => withCore(() => sealer.object.seal(key.object, ...crossing(call))),
      group: sealGroup,
    })
    return {
      take: takeFor(settings),
      seal: (call) => together.seal(call),
      sealGroup,
      add: (call) => withCore(() => sealer.object.add(...crossing(call))),
      sealBatch: () =>
        withCore(() => {
          const message = sealer.object.sealBatch(key.object)
          return { message, ids: sealer.object.batchIds() }
        }),
      free: () => {
        key.release()
        sealer.release()
        wipeStack()
      },
    }
  } catch (error) {
    key.release()
    throw error
  }
}
