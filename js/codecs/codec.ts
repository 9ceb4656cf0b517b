/**
 * How messages are written on the wire. The core writes and reads JSON; a codec turns that into something else and
 * back. Signatures do not depend on it: they are over the values.
 *
 * @example
 * ```ts
 * const deflated = {
 *   contentType: 'application/json+deflate',
 *   encode: (message) => deflateSync(message),
 *   decode: (bytes) => inflateSync(bytes, { maxOutputLength: 2 ** 21 }),
 * } satisfies Codec
 * ```
 */
export interface Codec {
  /** The media type of what `encode` returns; streams get it with each message. */
  readonly contentType: string
  /**
   * The message as it will be published, or a promise of it. Messages are published in the order in which they were given to
   * `encode`, whichever is done first.
   */
  encode(message: Uint8Array): Uint8Array | PromiseLike<Uint8Array>
  /** The JSON message out of what came from outside, at once: bound what you make of it. Throw when it is none. */
  decode(bytes: Uint8Array): Uint8Array
  /** @internal Asked once by `openSdk`: the tag of all annotations. Throws for what it has no place for. */
  fit?(setting: CodecSetting): string
  /**
   * @internal Asked by `openSdk`, which waits for it: opens the signer that the codec has, which then keeps to this time limit.
   * Nothing else limits what such a codec takes.
   */
  openSigner?(timeoutMs: number): Promise<void> | undefined
  /** @internal As `encode`, of a call with a tag of its own, which may be in none of its annotations. */
  encodeTagged?(message: Uint8Array, tag: string): Uint8Array | PromiseLike<Uint8Array>
  /** @internal What a message goes by, where it holds no bundle: the id of a classic message. */
  idOf?(message: Uint8Array): string
  /** Called once by `sdk.close()`, after the last `encode`: lets go of what the codec holds, for example a key. */
  close?(): unknown
}

/** A codec that answers at once, which those who call it themselves need not wait for. */
export interface SyncCodec extends Codec {
  /** The message as it will be published. */
  encode(message: Uint8Array): Uint8Array
}

/** @internal What an SDK is going to say. */
export interface CodecSetting {
  readonly isBatched: boolean
  readonly kinds: readonly string[]
  /** For what can be written, and consumers refuse. */
  warn(kind: string, text: string): void
  readonly tag: string
  /** Whether somebody asked for it: it is the default otherwise. */
  readonly isGiven: boolean
  readonly layer: string
}
