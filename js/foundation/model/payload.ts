import type { HashName } from './bundle.js'

/**
 * The place where payloads are hashed and signatures are made or verified. The results are the same.
 * - `wasm`: the core
 * - `host`: the platform's own SHA-256 (Node's uses the processor's SHA instructions), Ed25519 and P-256
 * - `auto`: for hashes the faster of both by the payload's size, for signatures the core
 */
export type Engine = 'auto' | 'wasm' | 'host'

/** The names of all engines. */
export const ENGINES = ['auto', 'wasm', 'host'] as const satisfies readonly Engine[]

/** A payload for the core: its bytes, to be hashed there, or its digest. */
export interface HashInput {
  readonly bytes: Uint8Array
  readonly isDigest: boolean
}

/**
 * A payload that comes in pieces and need not fit into memory: a stream, an async iterable (a Node stream, an async generator), a `Blob`
 * or `File`, or a source made by `alvarium-sdk/sources`.
 */
export type PayloadSource = ReadableStream<Uint8Array> | AsyncIterable<Uint8Array> | Blob | Digesting

/** The progress of reading a source. */
export interface Progress {
  /** Bytes so far. */
  readonly bytes: number
  /** Size of the source in bytes, if it is known: `Blob`, `File`, `openAsSource`. */
  readonly size: number | undefined
}

/** Options for reading a source. */
export interface SourceOptions {
  /** Ends the reading. */
  readonly signal?: AbortSignal | undefined
  /** Listener for progress: called at most ten times a second, and at the end. Its errors are ignored. */
  readonly onProgress?: ((progress: Progress) => void) | undefined
}

/** Options for hashing a source. */
export interface Digestion extends SourceOptions {
  readonly hash: HashName
  readonly engine?: Engine | undefined
}

/** The digest and the size of a source that was read to its end. */
export interface SourceDigest {
  readonly digest: Uint8Array
  /** Size of the source in bytes. */
  readonly size: number
}

/** The method of a source that hashes by itself. A registered symbol, so that code which does not load the class finds it. */
export const DIGEST: unique symbol = Symbol.for('alvarium-sdk.digested')

/** A source that others read, and that hashes what passes: `hashing` of `alvarium-sdk/sources`. */
export interface Digesting {
  /** The hash that it computes. */
  readonly hash: HashName
  /** @internal Resolves with the digest once all pieces have passed. @throws AlvariumError `PAYLOAD_INVALID` for another hash */
  [DIGEST](hash: HashName): Promise<SourceDigest>
}
