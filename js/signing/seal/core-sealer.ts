import { type CoreObject, type SigningKey, withCore } from '../../foundation/core/core.js'
import { publicHalf, wipeStack } from '../keys/core-key.js'
import { Coalescer } from './coalescer.js'
import { coreArguments } from './layout.js'
import type { PackedCalls } from './packed.js'
import { countBundles, type GroupSealer, holdSealer, prepareFor, type SealerSettings } from './sealer.js'

/**
 * @internal Opens a `Sealer` that signs with a private key in the core. It owns the key, and frees it. Throws
 * the errors of `openSealer`.
 */
export function openCoreSealer(settings: SealerSettings, key: CoreObject<SigningKey>): GroupSealer {
  try {
    const { bytes: ed25519, keyId: signer } = publicHalf(key.object)
    const sealer = holdSealer(settings, signer)
    const { log } = settings
    const sealGroup = ({ numbers, bytes }: PackedCalls) =>
      withCore(() => sealer.object.sealGroup(key.object, numbers, bytes))
    const coalescer = new Coalescer({
      one: (call) => withCore(() => sealer.object.seal(key.object, ...coreArguments(call))),
      group: sealGroup,
      sealed: log && ((message) => log.signed(message, 1)),
    })
    return {
      prepare: prepareFor(settings),
      seal: (call) => coalescer.seal(call),
      sealGroup,
      add: (call) => withCore(() => sealer.object.add(...coreArguments(call))),
      sealBatch: () => {
        const message = withCore(() => sealer.object.sealBatch(key.object))
        const ids = withCore(() => sealer.object.batchIds())
        log?.signed(message, countBundles(ids))
        return { message, ids }
      },
      logSigner: {
        signer,
        ed25519,
        sign: (text) => withCore(() => key.object.sign(text)),
        takeLeaves: (bytes) => withCore(() => sealer.object.takeLeaves(bytes)),
      },
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
