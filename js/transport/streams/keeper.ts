import { VERSION } from '../../foundation/base/version.js'
import type { StreamProvider } from './stream.js'

/**
 * @internal Member of a stream that stores a few bytes for its owner. Versioned, because only parts of one package use
 * it.
 */
export const OWNER_STORE: unique symbol = Symbol.for(`alvarium-sdk.Keeper ${VERSION}`)

/** Storage for a few bytes by name: lower-case letters. Available while the stream is connected and not closed. */
export interface OwnerStore {
  /** Returns undefined if nothing has this name. */
  get(name: string): Promise<Uint8Array | undefined>
  /** Replaces existing bytes atomically: if the process is killed, either the old or the new ones are there. */
  put(name: string, bytes: Uint8Array): Promise<void>
}

/** Returns the store that a stream offers its owner; undefined if it offers none. */
export function ownerStoreOf(stream: StreamProvider): OwnerStore | undefined {
  return (stream as { readonly [OWNER_STORE]?: OwnerStore })[OWNER_STORE]
}
