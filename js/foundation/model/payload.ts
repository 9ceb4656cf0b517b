import type { HashName } from './bundle.js'

/**
 * The code that hashes payloads, and makes or verifies signatures. The results are the same with every engine.
 * - `wasm`: the package's WebAssembly core
 * - `host`: the platform's own SHA-256 (Node's uses the processor's SHA instructions), Ed25519 and P-256
 * - `auto`: for hashes the faster of the two by the payload's size, for signatures the core
 */
export type Engine = 'auto' | 'wasm' | 'host'

export const ENGINES = ['auto', 'wasm', 'host'] as const satisfies readonly Engine[]

/** A payload for the core: the bytes that the core hashes, or their digest. */
export interface HashInput {
  readonly bytes: Uint8Array
  readonly isDigest: boolean
}

/**
 * A payload that arrives in pieces and need not fit into memory: a stream, an async iterable (a Node stream, an async
 * generator), a `Blob` or `File`, or a source made by `alvarium-sdk/sources`.
 */
export type PayloadSource = ReadableStream<Uint8Array> | AsyncIterable<Uint8Array> | Blob | Digesting

/** Progress of reading a source. */
export interface Progress {
  /** Number of bytes read so far. */
  readonly bytes: number
  /** Size of the source in bytes, if it is known: `Blob`, `File`, `openAsSource`. */
  readonly size: number | undefined
}

/** Options for reading a source. */
export interface SourceOptions {
  /** Signal that stops reading the source when it aborts. */
  readonly signal?: AbortSignal | undefined
  /**
   * Listener for progress: called at most ten times a second for each source, and at its end. Errors are
   * ignored.
   */
  readonly onProgress?: ((progress: Progress) => void) | undefined
}

/** Options for hashing a source. */
export interface Digestion extends SourceOptions {
  readonly hash: HashName
  readonly engine?: Engine | undefined
}

/** The digest and the size of a source that was read to the end. */
export interface SourceDigest {
  readonly digest: Uint8Array
  /** Size of the source in bytes. */
  readonly size: number
}

/**
 * Symbol of the method by which a source hashes itself. A reader finds it by `Symbol.for`, without the source's class.
 */
export const DIGEST: unique symbol = Symbol.for('alvarium-sdk.digested')

/** A source that others read, and that hashes the bytes that pass through it: see `hashing`. */
export interface Digesting {
  /** The hash that this source computes. */
  readonly hash: HashName
  /**
   * @internal Resolves with the digest of all pieces.
   *
   * @throws AlvariumError `PAYLOAD_INVALID` for another hash, and for fewer or more bytes than expected
   */
  [DIGEST](hash: HashName): Promise<SourceDigest>
}
