import * as v from 'valibot'
import { type AlvariumError, conflicts, expected } from '../../foundation/base/errors.js'
import { readOptions, strict } from '../../foundation/base/options/schema.js'
import { MaxBytes } from '../../foundation/core/core.js'
import type { Bundle } from '../../foundation/model/bundle.js'
import { isExternal, type Signer, type WebCryptoKeyPair } from '../../signing/keys/signer.js'
import type { SigningKeyInput } from '../../signing/keys/signing.js'
import type { Codec, CodecSetting } from '../../transport/codecs/codec.js'
import { annotationsOf } from './annotations-of.js'
import { type ClassicDialect, DIALECTS, type Dialect } from './dialect.js'
import { classicIdOf } from './ids.js'
import { readMessage } from './read-message.js'
import { KeySigning, SignerSigning, type Signing } from './signing.js'
import { type UnsignedMessage, unsignedMessage } from './write.js'

/** Signing key and dialect for {@link classic}. */
export interface ClassicOptions<
  Key extends SigningKeyInput | WebCryptoKeyPair | Signer = SigningKeyInput | WebCryptoKeyPair | Signer,
> {
  /**
   * Key that signs each annotation: a private key, which stays in the core until `close()`; an Ed25519 key
   * pair of WebCrypto; or a `Signer`. The key may differ from the SDK's. A `Signer` gets concurrent calls for
   * all annotations of a message. `signerTimeoutMs` of `openSdk` limits each call.
   */
  readonly signingKey: Key
  /** SDK whose encoding the messages have. Default `go`. */
  readonly dialect?: ClassicDialect | undefined
}

/** Codec for classic messages: synchronous with a private key, asynchronous with other kinds of keys. */
export interface ClassicCodec<Encoded extends Uint8Array | Promise<Uint8Array> = Uint8Array> extends Codec {
  /**
   * Encodes a message with one bundle. Throws, or rejects with, `CODEC_FAILED`, `SIGNER_FAILED`, or
   * `CONFIG_INVALID` for a `mutate` with inputs other than one payload with the same kind of hash.
   */
  encode(message: Uint8Array): Encoded
  /** Wipes the private key. `sdk.close()` calls this. Call it yourself if `openSdk` has failed for good. */
  close(): void
}

const schema = strict({
  signingKey: v.custom<ClassicOptions['signingKey']>(
    (value) => value !== undefined,
    'a private key, a CryptoKeyPair or a Signer',
  ),
  dialect: v.optional(v.picklist(['go', 'java', 'rust', 'python'], 'go, java, rust or python'), 'go'),
})

/**
 * Returns a codec that writes messages for consumers of the Go, Java, Rust and Python SDKs: a list of
 * annotations in base64. Each annotation has its own signature. Verify messages with {@link verifyClassic}.
 *
 * A `mutate` begins with a `src` annotation of the previous payload and omits `tls`, as those SDKs write
 * it. The format cannot hold batches; Python's dialect cannot hold tags, or layers other than `app`.
 * `openSdk` rejects options for these with `CONFIG_INVALID`, and a call that uses one of these rejects
 * with `CODEC_FAILED`. A kind that consumers of the Java or Python SDK do not know causes a warning. Make
 * one codec for each SDK, because the SDK closes it.
 *
 * @throws AlvariumError `CONFIG_INVALID`, `KEY_INVALID`; an invalid public key of a `Signer` or of a
 * WebCrypto key pair makes `openSdk` reject instead
 *
 * @example
 * ```ts
 * const signingKey = await readKey('private.key')
 * const sdk = await openSdk({ signingKey, annotators, stream, codec: classic({ signingKey, dialect: 'go' }) })
 * ```
 *
 * @example
 * ```ts
 * const signingKey = { verifyingKey, sign: (bytes) => client.sign('edge-7', bytes) } satisfies Signer
 * const sdk = await openSdk({ signingKey, annotators, stream, codec: classic({ signingKey }) })
 * ```
 */
export function classic(options: ClassicOptions<SigningKeyInput>): ClassicCodec
export function classic(options: ClassicOptions<WebCryptoKeyPair | Signer>): ClassicCodec<Promise<Uint8Array>>
export function classic(options: ClassicOptions): ClassicCodec<Uint8Array | Promise<Uint8Array>>
export function classic(options: ClassicOptions): ClassicCodec<Uint8Array | Promise<Uint8Array>> {
  const { signingKey, dialect } = readOptions(schema, options, 'classic')
  const rules = DIALECTS[dialect]
  if (isExternal(signingKey)) return new DialectCodec(new SignerSigning(signingKey), rules)
  return new DialectCodec(new KeySigning(signingKey), rules)
}

class DialectCodec<Encoded extends Uint8Array | Promise<Uint8Array>> implements ClassicCodec<Encoded> {
  readonly contentType = 'application/json'
  readonly #signing: Signing<Encoded>
  readonly #dialect: Dialect
  #tag = ''

  constructor(signing: Signing<Encoded>, dialect: Dialect) {
    this.#signing = signing
    this.#dialect = dialect
  }

  encode(message: Uint8Array): Encoded {
    return this.encodeTagged(message, this.#tag)
  }

  encodeTagged(message: Uint8Array, tag: string): Encoded {
    return this.#signing.sign(() => prepareMessage(message, tag, this.#dialect))
  }

  fit(setting: CodecSetting): string {
    const { tag, isGiven, layer } = setting
    assertFits(setting, this.#dialect)
    warnOfUnknown(setting, this.#dialect)
    const isOurs = isGiven || this.#dialect.taggedLayers.some((tagged) => tagged === layer)
    this.#tag = isOurs ? tag : ''
    return this.#tag
  }

  openSigner(timeoutMs: number): Promise<void> | undefined {
    return this.#signing.open(timeoutMs)
  }

  idOf(message: Uint8Array): string {
    return classicIdOf(readMessage(message))
  }

  decode(): never {
    throw expected('CONFIG_INVALID', 'codec', 'a codec that reads bundles', 'classic(): use verifyClassic')
  }

  close(): void {
    this.#signing.close()
  }
}

function assertFits({ isBatched, isGiven, tag, layer }: CodecSetting, { name, members }: Dialect): void {
  if (isBatched) throw conflicts('batch', 'the codec classic(), whose messages contain one call each')
  if (members.includes('tag') && members.includes('layer')) return
  const codec = `the codec classic(): messages of ${name} have no`
  if (layer !== 'app') throw conflicts('layer', `${codec} layer`)
  if (isGiven && tag !== '') throw conflicts('tag', `${codec} tag`)
}

/**
 * Warns of kinds that the dialect's SDK does not know. Does not throw, because another SDK may consume them.
 */
function warnOfUnknown({ kinds, warn }: CodecSetting, { name, consumerKinds }: Dialect): void {
  for (const kind of kinds) {
    if (!consumerKinds || consumerKinds.kinds.includes(kind)) continue
    const expected = `expected kinds that consumers by the ${name} SDK know (${consumerKinds.kinds.join(', ')})`
    warn(
      kind,
      `annotators: ${expected}, got ${JSON.stringify(kind.slice(0, 100))}: such a consumer ${consumerKinds.fate}`,
    )
  }
}

/** Returns the annotations of a bundle as texts to sign, and a function that inserts the signatures. */
function prepareMessage(message: Uint8Array, tag: string, dialect: Dialect): UnsignedMessage {
  const { bundle, signature } = readBundle(message)
  const annotations = annotationsOf(bundle, signature, dialect, tag)
  const { texts, signed } = unsignedMessage(bundle.action, annotations, dialect)
  return { texts, signed: (signatures) => assertLength(signed(signatures)) }
}

function assertLength(message: Uint8Array): Uint8Array {
  if (message.length <= MaxBytes.Message) return message
  throw codecFailed(`a classic message of at most ${MaxBytes.Message} bytes`, `${message.length}`)
}

/** Parses a message without validation, because the core wrote it. */
function readBundle(message: Uint8Array): { bundle: Omit<Bundle, 'signer'>; signature: string } {
  const { action, messageType, content } = JSON.parse(new TextDecoder().decode(message))
  if (!/^alvarium\.AnnotationBundle\/[12]$/.test(messageType)) {
    throw codecFailed('a message with one bundle', `${messageType}: classic messages cannot hold batches`)
  }
  return { bundle: { action, ...content }, signature: content.signature }
}

function codecFailed(requirement: string, got: string): AlvariumError {
  return expected('CODEC_FAILED', 'codec', requirement, got)
}
