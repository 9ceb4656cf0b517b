import { VERSION } from '../../foundation/base/version.js'
import type { StreamProvider } from './stream.js'

/**
 * @internal Member of a stream that stores a few bytes for its owner. Versioned, because only parts of one package use
 * it.
 */
export const OWNER_STORE: unique symbol = Symbol.for(`alvarium-sdk.Keeper ${VERSION}`)

/** Named bytes that survive the process. Available while the stream is connected and not closed. */
export interface OwnerStore {
  /** Returns undefined if nothing was stored under this name. */
  get(name: string): Promise<Uint8Array | undefined>
  put(name: string, bytes: Uint8Array): Promise<void>
}

/** Returns the storage of a stream; undefined if it has none. */
export function ownerStoreOf(stream: StreamProvider): OwnerStore | undefined {
  return (stream as { readonly [OWNER_STORE]?: OwnerStore })[OWNER_STORE]
}
