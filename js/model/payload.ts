import type { HashName } from './bundle.js'

/**
 * Where payloads are hashed: `wasm` in the core, `host` by the platform's own SHA-256 (Node's uses the
 * processor's SHA instructions), `auto` whichever is faster for the payload's size. The result is the same.
 */
export type Engine = 'auto' | 'wasm' | 'host'

/** A payload on its way to the core: its bytes, to be hashed there, or its digest. */
export interface HashInput {
  readonly bytes: Uint8Array
  readonly isDigest: boolean
}

/**
 * A payload that comes in pieces and need not fit into memory: a stream, an async iterable (a Node stream, an async generator), a `Blob`
 * or `File`, or one of those that `alvarium-sdk/sources` makes.
 */
export type PayloadSource = ReadableStream<Uint8Array> | AsyncIterable<Uint8Array> | Blob | Digesting

/** How far a source has been read. */
export interface Progress {
  /** Bytes so far. */
  readonly bytes: number
  /** Bytes in all, of a source that says so: `Blob`, `File`, `openAsSource`. */
  readonly size: number | undefined
}

/** How to read a source. */
export interface SourceOptions {
  /** Ends the reading. */
  readonly signal?: AbortSignal | undefined
  /** Told how far it came: at most ten times a second, and when all has been read. What it throws is ignored. */
  readonly onProgress?: ((progress: Progress) => void) | undefined
}

/** How a source becomes a digest. */
export interface Digestion extends SourceOptions {
  readonly hash: HashName
  readonly engine?: Engine | undefined
}

/** What is left of a source once it has been read. */
export interface Digested {
  readonly digest: Uint8Array
  /** How many bytes it had. */
  readonly size: number
}

/** By which a source that hashes by itself is known: also where its code has not been loaded. */
export const DIGESTED: unique symbol = Symbol.for('alvarium-sdk.digested')

/** A source that others read, and that hashes what passes: `hashing` of `alvarium-sdk/sources`. */
export interface Digesting {
  /** How it hashes. */
  readonly hash: HashName
  /** @internal What has passed, once all has. @throws AlvariumError `PAYLOAD_INVALID` when it is hashed in another way */
  [DIGESTED](hash: HashName): Promise<Digested>
}
