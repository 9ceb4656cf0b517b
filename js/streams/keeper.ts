import { VERSION } from '../base/version.js'
import type { StreamProvider } from './stream.js'

/** @internal Where a stream keeps a few bytes for its owner. With the version, as it is used between parts of one package. */
export const KEEPER: unique symbol = Symbol.for(`alvarium-sdk.Keeper ${VERSION}`)

/** What survives the process, by name: of a stream that is connected, and not closed. */
export interface Keeper {
  /** Nothing when nothing was put there. */
  get(name: string): Promise<Uint8Array | undefined>
  put(name: string, bytes: Uint8Array): Promise<void>
}

/** What a stream keeps things in; nothing if it cannot. */
export function keeperOf(stream: StreamProvider): Keeper | undefined {
  return (stream as { readonly [KEEPER]?: Keeper })[KEEPER]
}
