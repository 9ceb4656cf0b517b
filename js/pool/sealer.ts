import type { SdkSettings } from '../config/options.js'
import { hashInput } from '../hashing.js'
import { keyBytes } from '../key-forms.js'
import type { SigningKeyInput } from '../keys.js'
import type { Call, Sealer } from '../sealer.js'
import type { Context } from './group.js'
import type { WorkerPool } from './pool.js'

/**
 * Seals single calls in the pool's workers, and batches here.
 *
 * @param local - has checked the key and the settings
 */
export function pooledSealer(
  pool: WorkerPool,
  local: Sealer,
  settings: SdkSettings & { readonly host: string; readonly tag: string },
  input: SigningKeyInput,
): Sealer {
  const { hash, engine } = settings
  const { context, close } = openContext(pool, settings, input)
  const hashed = (call: Call): Call => {
    if (call.payload.isDigest) return call
    const { payload, previous } = call
    const take = ({ bytes }: { readonly bytes: Uint8Array }) => hashInput(bytes, hash, engine)
    return { ...call, payload: take(payload), previous: previous && take(previous) }
  }
  return {
    take: (payload, mayChange) => {
      if (hash === 'none') return local.take(payload, mayChange)
      // Hashing is the workers' work; copying is a tenth of it.
      return { bytes: mayChange ? new Uint8Array(payload) : payload, isDigest: false }
    },
    seal: (call) => pool.seal(context, call.transfer ? { ...call, transfer: canTransfer(call) } : call),
    add: (call) => local.add(hashed(call)),
    sealBatch: () => local.sealBatch(),
    free: () => {
      close()
      local.free()
    },
  }
}

/** The workers' context, with a copy of the key that is wiped when it is closed. */
function openContext(
  pool: WorkerPool,
  { hash, engine, layer, host, tag, annotators }: Parameters<typeof pooledSealer>[2],
  input: SigningKeyInput,
): { readonly context: Context; close(): void } {
  const kinds = annotators.map(({ kind }) => kind)
  const bytes = keyBytes(input, 'signingKey')
  const signingKey = new Uint8Array(bytes)
  if (bytes !== input) bytes.fill(0)
  try {
    const context = pool.open({ hash, engine, layer, host, tag, kinds, signingKey })
    return {
      context,
      close: () => {
        pool.free(context)
        signingKey.fill(0)
      },
    }
  } catch (error) {
    signingKey.fill(0)
    throw error
  }
}

/** Memory can be handed over once. */
function canTransfer({ payload, previous }: Call): boolean {
  return previous?.bytes.buffer !== payload.bytes.buffer
}
