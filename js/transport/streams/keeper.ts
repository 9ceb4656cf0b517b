import { VERSION } from '../../foundation/base/version.js'
import type { StreamProvider } from './stream.js'

/**
 * @internal Property key under which a stream has its {@link OwnerStore}. The key contains the SDK's version, so
 * that only code of the same release uses the store.
 */
export const OWNER_STORE: unique symbol = Symbol.for(`alvarium-sdk.Keeper ${VERSION}`)

/**
 * Storage for a few bytes per name (lower-case letters), which outlives the process. Use it only between
 * `connect()` and `close()` of the stream.
 */
export interface OwnerStore {
  /** Returns the bytes that are stored under a name, or undefined if there are none. */
  get(name: string): Promise<Uint8Array | undefined>
  /** Stores bytes under a name. Replaces earlier bytes atomically, even if the process is killed. */
  put(name: string, bytes: Uint8Array): Promise<void>
}

/** Returns the {@link OwnerStore} of a stream, or undefined if the stream has none. */
export function ownerStoreOf(stream: StreamProvider): OwnerStore | undefined {
  return (stream as { readonly [OWNER_STORE]?: OwnerStore })[OWNER_STORE]
}
