/**
 * A codec of messages on the wire. The core writes and reads JSON; a codec converts that to another form and back. Signatures do not depend on
 * it: they cover the values.
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
  /** Media type of the results of `encode`; streams get it with each message. */
  readonly contentType: string
  /** Returns the bytes to publish, or a promise of them. Messages are published in the order of the calls of `encode`, whichever is done first. */
  encode(message: Uint8Array): Uint8Array | PromiseLike<Uint8Array>
  /** Returns the JSON message of received bytes, synchronously. Limit the size of the result. Throw if there is no message in them. */
  decode(bytes: Uint8Array): Uint8Array
  /** @internal Returns the tag of all annotations. `openSdk` calls it once. Throws for settings that the codec cannot express. */
  fit?(setting: CodecSetting): string
  /**
   * @internal Opens the codec's signer, which then keeps to this time limit. `openSdk` calls it and waits. No other limit applies to such a codec.
   */
  openSigner?(timeoutMs: number): Promise<void> | undefined
  /** @internal Encodes a message of a call with its own tag, which may be in none of its annotations. */
  encodeTagged?(message: Uint8Array, tag: string): Uint8Array | PromiseLike<Uint8Array>
  /** @internal Returns the id of a message that holds no bundle: of a classic message. */
  idOf?(message: Uint8Array): string
  /** Closes the codec: called once by `sdk.close()`, after the last `encode`. Releases its resources, such as a key. */
  close?(): unknown
}

/** A synchronous codec: its results need no `await`. */
export interface SyncCodec extends Codec {
  /** Returns the bytes to publish. */
  encode(message: Uint8Array): Uint8Array
}

/** @internal Settings of an SDK for its codec. */
export interface CodecSetting {
  readonly isBatched: boolean
  readonly kinds: readonly string[]
  /** Reports a setting that can be written, and that consumers refuse. */
  warn(kind: string, text: string): void
  readonly tag: string
  /** True if the application has set the tag; otherwise it is the default. */
  readonly isGiven: boolean
  readonly layer: string
}
