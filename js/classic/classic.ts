import * as v from 'valibot'
import { AlvariumError } from '../base/errors.js'
import { toHex } from '../base/hex.js'
import { readOptions, strict } from '../base/schema.js'
import type { Codec, CodecSetting } from '../codecs/codec.js'
import { type Held, type SigningKey, withCore } from '../core/core.js'
import { openSigningKey, type SigningKeyInput, wipeStack } from '../keys/signing.js'
import type { Bundle } from '../model/bundle.js'
import { annotationsOf } from './annotations-of.js'
import { type ClassicDialect, DIALECTS, type Dialect } from './dialect.js'
import { classicIdOf } from './id.js'
import { LONGEST_MESSAGE, readMessage } from './read-message.js'
import { writeMessage } from './write.js'

/** Who signs the annotations, and by whose rules. */
export interface ClassicOptions {
  /**
   * Signs each annotation: a private key in any usual form, the SDK's own or another. Kept in the core until `close()`.
   * Key pairs of WebCrypto and `Signer`s cannot be used: they answer later, and a codec has to answer at once.
   */
  readonly signingKey: SigningKeyInput
  /** Whose byte rules to follow. Default `go`. */
  readonly dialect?: ClassicDialect | undefined
}

/** Writes classic messages; holds a private key until it is closed. */
export interface ClassicCodec extends Codec {
  /** Wipes the key. `sdk.close()` does it; when `openSdk` failed and is not tried again, it is yours to do. */
  close(): void
}

const schema = strict({
  signingKey: v.custom<SigningKeyInput>((value) => value !== undefined, 'a private key'),
  dialect: v.optional(v.picklist(['go', 'java', 'rust', 'python'], 'go, java, rust or python'), 'go'),
})

/**
 * What the Go, Java, Rust and Python SDKs publish, for their consumers: a list of annotations in base64, each with a
 * signature of its own, which costs as many signatures as there are annotators. Verify it with {@link verifyClassic}.
 *
 * A `mutate` begins with a `src` annotation of the payload that was changed, and leaves `tls` out, as theirs do. What
 * the format cannot hold is refused: batches, and in Python's dialect tags and other layers than `app`, by `openSdk` with
 * `CONFIG_INVALID`, and of a single call with `CODEC_FAILED`. A kind that consumers by Java's or Python's SDK do not know is warned of. The SDK that uses the codec closes it, so make one for each.
 *
 * @throws AlvariumError `CONFIG_INVALID`, `KEY_INVALID`
 *
 * @example
 * ```ts
 * const signingKey = await readKey('private.key')
 * const sdk = await openSdk({ signingKey, annotators, stream, codec: classic({ signingKey, dialect: 'go' }) })
 * ```
 */
export function classic(options: ClassicOptions): ClassicCodec {
  const { signingKey, dialect } = readOptions(schema, options, 'classic')
  return new KeyedCodec(openSigningKey(signingKey), DIALECTS[dialect])
}

class KeyedCodec implements ClassicCodec {
  readonly contentType = 'application/json'
  readonly #dialect: Dialect
  #tag = ''
  #key: Held<SigningKey> | undefined

  constructor(key: Held<SigningKey>, dialect: Dialect) {
    this.#key = key
    this.#dialect = dialect
  }

  encode(message: Uint8Array): Uint8Array {
    return this.encodeTagged(message, this.#tag)
  }

  encodeTagged(message: Uint8Array, tag: string): Uint8Array {
    const { bundle, signature } = readBundle(message)
    const annotations = annotationsOf(bundle, signature, this.#dialect, tag)
    const written = writeMessage(bundle.action, annotations, this.#dialect, (text) => this.#sign(text))
    if (written.length <= LONGEST_MESSAGE) return written
    throw failed(`a classic message of at most ${LONGEST_MESSAGE} bytes`, `${written.length}`)
  }

  fit(setting: CodecSetting): string {
    const { tag, isGiven, layer } = setting
    assertFits(setting, this.#dialect)
    warnOfUnknown(setting, this.#dialect)
    const isOurs = isGiven || this.#dialect.taggedLayers.some((tagged) => tagged === layer)
    this.#tag = isOurs ? tag : ''
    return this.#tag
  }

  idOf(message: Uint8Array): string {
    return classicIdOf(readMessage(message))
  }

  decode(): never {
    const text = 'codec: expected one that bundles can be read with, got classic: use verifyClassic'
    throw new AlvariumError('CONFIG_INVALID', text)
  }

  close(): void {
    const key = this.#key
    this.#key = undefined
    if (!key) return
    key.release()
    wipeStack()
  }

  #sign(text: string): string {
    const key = this.#key
    if (!key) throw failed('an open codec', 'one that was closed, for example with another SDK that used it')
    const bytes = new TextEncoder().encode(text)
    return toHex(withCore(() => key.object.sign(bytes)))
  }
}

/** What would fail at every call. */
function assertFits({ isBatched, isGiven, tag, layer }: CodecSetting, { name, members }: Dialect): void {
  if (isBatched) throw unfit('batch', 'none, as a classic message holds one call', 'a batch')
  if (members.includes('tag') && members.includes('layer')) return
  const expected = `, as ${name}'s classic messages have no place for another`
  if (layer !== 'app') throw unfit('layer', `app${expected}`, layer)
  if (isGiven && tag !== '') throw unfit('tag', `none${expected}`, JSON.stringify(tag.slice(0, 100)))
}

/** No error: who reads them may be another consumer. */
function warnOfUnknown({ kinds, warn }: CodecSetting, { name, known }: Dialect): void {
  for (const kind of kinds) {
    if (!known || known.kinds.includes(kind)) continue
    const expected = `expected kinds that consumers by the ${name} SDK know (${known.kinds.join(', ')})`
    warn(
      kind,
      `annotators: ${expected}, got ${JSON.stringify(kind.slice(0, 100))}: such a consumer ${known.fate}`,
    )
  }
}

function unfit(option: string, expected: string, got: string): AlvariumError {
  return new AlvariumError('CONFIG_INVALID', `${option}: expected ${expected} (codec: classic), got ${got}`)
}

/** The core's own JSON: what is in it needs no check. */
function readBundle(message: Uint8Array): { bundle: Omit<Bundle, 'signer'>; signature: string } {
  const { action, messageType, content } = JSON.parse(new TextDecoder().decode(message))
  if (messageType !== 'alvarium.AnnotationBundle/1') {
    throw failed('a message with one bundle', `${messageType}: classic messages cannot hold batches`)
  }
  return { bundle: { action, ...content }, signature: content.signature }
}

function failed(expected: string, got: string): AlvariumError {
  return new AlvariumError('CODEC_FAILED', `codec: expected ${expected}, got ${got}`)
}
