/**
 * Converts messages between JSON, which the core reads and writes, and another form on the wire. Signatures
 * do not depend on the codec, because they cover the values of a message.
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
  /** Media type of encoded messages. Streams receive it with each message. */
  readonly contentType: string
  /**
   * Returns the bytes to publish, or a promise of them. The SDK publishes messages in the order of the
   * `encode` calls, even if a later promise settles first.
   */
  encode(message: Uint8Array): Uint8Array | PromiseLike<Uint8Array>
  /** Returns received bytes as JSON, synchronously. Must limit the JSON's size. Throws for invalid bytes. */
  decode(bytes: Uint8Array): Uint8Array
  /** @internal Returns the tag that all annotations get. Throws if the codec cannot express a setting of the SDK. */
  fit?(setting: CodecSetting): string
  /** @internal Opens the codec's signer. `timeoutMs` limits each signature. */
  openSigner?(timeoutMs: number): Promise<void> | undefined
  /** @internal Encodes a message with the `tag` of its call. The annotations in the message may lack this tag. */
  encodeTagged?(message: Uint8Array, tag: string): Uint8Array | PromiseLike<Uint8Array>
  /** @internal Returns the id of a classic message, which holds no bundle. */
  idOf?(message: Uint8Array): string
  /** Releases the codec's resources, such as a key. `sdk.close()` calls it once, after the last `encode`. */
  close?(): unknown
}

/** Codec that returns its results without a promise. */
export interface SyncCodec extends Codec {
  /** Returns the bytes to publish, synchronously. */
  encode(message: Uint8Array): Uint8Array
}

/** @internal Settings of an SDK that concern its codec. */
export interface CodecSetting {
  readonly isBatched: boolean
  readonly kinds: readonly string[]
  /** Reports a setting that consumers will refuse, although the codec can write it. */
  warn(kind: string, text: string): void
  readonly tag: string
  /** True if the application has set `tag`; false if `tag` is the default. */
  readonly isGiven: boolean
  readonly layer: string
}
