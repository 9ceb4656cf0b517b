import { algorithmsModule } from '../../foundation/algorithms/module.js'
import { hashInput } from '../../foundation/core/hashing.js'
import type { Call } from '../../foundation/model/call.js'
import type { HashInput } from '../../foundation/model/payload.js'
import type { PooledCalls, WorkerPool } from '../../foundation/model/worker-pool.js'
import { isEc } from '../keys/ec/der.js'
import { withSigningBytes } from '../keys/forms/key-bytes.js'
import { secretCopy } from '../keys/secret.js'
import type { SigningKeyInput } from '../keys/signing.js'
import type { SigningLog } from './log.js'
import { countBundles, type SealedBatch, type Sealer, type SealerSettings } from './sealer.js'

/**
 * Returns a {@link Sealer} that signs single bundles in the pool's workers, and batches in this thread.
 *
 * @param local - sealer in this thread, which has already checked the key and the settings
 */
export function pooledSealer(
  pool: WorkerPool,
  local: Sealer,
  settings: SealerSettings,
  input: SigningKeyInput,
): Sealer {
  const { hash, engine, log } = settings
  const calls = openCalls(pool, settings, input)
  const hashed = (call: Call): Call => {
    if (call.payload.isDigest) return call
    const { payload, previous } = call
    const take = (input: HashInput) => (input.isDigest ? input : hashInput(input.bytes, hash, engine))
    return { ...call, payload: take(payload), previous: previous && take(previous) }
  }
  const seal = (call: Call) => calls.seal(call.transfer ? { ...call, transfer: canTransfer(call) } : call)
  return {
    prepare: (payload, mayChange) => {
      if (hash === 'none') return local.prepare(payload, mayChange)
      // Let the workers hash, because copying the payload for them takes a tenth of the time of hashing it
      // here.
      return { bytes: mayChange ? new Uint8Array(payload) : payload, isDigest: false }
    },
    seal: log ? async (call) => addToLog(log, await seal(call), 1) : seal,
    add: (call) => local.add(hashed(call)),
    hasRoom: (count, bytes) => calls.hasRoom(count, bytes),
    sealBatch: () => {
      // The local sealer is synchronous, because a pool refuses asynchronous signers.
      const sealed = local.sealBatch() as SealedBatch
      if (log) addToLog(log, sealed.message, countBundles(sealed.ids))
      return sealed
    },
    logSigner: local.logSigner && { ...local.logSigner, takeLeaves: undefined },
    free: () => {
      calls.free()
      local.free()
    },
  }
}

function addToLog(log: SigningLog, message: Uint8Array, bundles: number): Uint8Array {
  log.signed(message, bundles)
  return message
}

/** Opens a signer of calls in the workers, with a copy of the private key. `free` wipes the copy. */
function openCalls(
  pool: WorkerPool,
  { hash, engine, layer, host, tag, annotators }: SealerSettings,
  input: SigningKeyInput,
): PooledCalls {
  const kinds = annotators.map(({ kind }) => kind)
  const signingKey = withSigningBytes(input, secretCopy)
  try {
    const algorithms = isEc(signingKey) ? algorithmsModule() : undefined
    const calls = pool.open({ hash, engine, layer, host, tag, kinds, signingKey, algorithms })
    return {
      seal: (call) => calls.seal(call),
      hasRoom: (count, bytes) => calls.hasRoom(count, bytes),
      free: () => {
        calls.free()
        signingKey.fill(0)
      },
    }
  } catch (error) {
    signingKey.fill(0)
    throw error
  }
}

/** Returns whether a call's memory can be transferred: it cannot if the two payloads share one buffer. */
function canTransfer({ payload, previous }: Call): boolean {
  return previous?.bytes.buffer !== payload.bytes.buffer
}
