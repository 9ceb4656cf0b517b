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
 * Returns a sealer that seals single calls in the pool's workers, and batches in this thread.
 *
 * @param local - sealer in this thread, which has checked the key and the settings
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
      // Hashing is the workers' task; copying takes a tenth of its time.
      return { bytes: mayChange ? new Uint8Array(payload) : payload, isDigest: false }
    },
    seal: log ? async (call) => addToLog(log, await seal(call), 1) : seal,
    add: (call) => local.add(hashed(call)),
    hasRoom: (count, bytes) => calls.hasRoom(count, bytes),
    sealBatch: () => {
      // The local key is in the core, so it seals synchronously.
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

/** Opens the calls in the workers, with a copy of the key that is wiped when they are freed. */
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

/**
 * Returns whether the memory of a call can be transferred: both payloads in one buffer cannot, because a buffer is
 * transferred once.
 */
function canTransfer({ payload, previous }: Call): boolean {
  return previous?.bytes.buffer !== payload.bytes.buffer
}
