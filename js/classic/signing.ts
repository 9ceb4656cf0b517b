import { toHex } from '../base/bytes/hex.js'
import { type AlvariumError, expected } from '../base/errors.js'
import { type Held, type SigningKey, withCore } from '../core/core.js'
import { openSigningKey, wipeStack } from '../keys/core-key.js'
import type { SigningKeyInput } from '../keys/key-pair.js'
import { ed25519CheckOf } from '../keys/signature-check.js'
import { externalSigner, type Signer, signedExternally, type WebCryptoKeyPair } from '../keys/signer.js'
import type { Unsigned } from './write.js'

/** Signs messages: at once with a key in the core, later with one elsewhere. */
export interface Signing<Signed> {
  /** @param write - what is to be signed; its errors are those of signing */
  sign(write: () => Unsigned): Signed
  /** For a signer: opens it, and limits what each of its answers may take. */
  open(timeoutMs: number): Promise<void> | undefined
  close(): void
}

/** With a key in the core. */
export class KeySigning implements Signing<Uint8Array> {
  #key: Held<SigningKey> | undefined

  /** @throws AlvariumError `KEY_INVALID` */
  constructor(input: SigningKeyInput) {
    this.#key = openSigningKey(input)
  }

  sign(write: () => Unsigned): Uint8Array {
    const key = this.#key
    if (!key) throw closed()
    const { texts, signed } = write()
    return signed(texts.map((text) => toHex(withCore(() => key.object.sign(text)))))
  }

  open(): undefined {}

  close(): void {
    const key = this.#key
    this.#key = undefined
    if (!key) return
    key.release()
    wipeStack()
  }
}

/** As long as `openSdk` gives a signer, for those who use the codec without it. */
const SIGNER_TIMEOUT_MS = 10_000

/** With a key elsewhere, which is asked for all signatures of a message at once. */
export class SignerSigning implements Signing<Promise<Uint8Array>> {
  readonly #input: WebCryptoKeyPair | Signer
  #timeoutMs = SIGNER_TIMEOUT_MS
  #opened: ReturnType<typeof openSigner> | undefined
  #isClosed = false

  constructor(input: WebCryptoKeyPair | Signer) {
    this.#input = input
  }

  async sign(write: () => Unsigned): Promise<Uint8Array> {
    const { texts, signed } = write()
    try {
      const external = { ...(await this.#signer()), timeoutMs: this.#timeoutMs }
      const signatures = texts.map((text) => signedExternally(external, text))
      return signed((await Promise.all(signatures)).map(toHex))
    } catch (error) {
      // Without the public key, nothing that comes later can be checked.
      throw this.#isClosed ? closed() : error
    }
  }

  async open(timeoutMs: number): Promise<void> {
    this.#timeoutMs = timeoutMs
    await this.#signer()
  }

  close(): void {
    this.#isClosed = true
    this.#opened?.then(
      ({ check }) => check.free(),
      () => {},
    )
  }

  #signer(): ReturnType<typeof openSigner> {
    if (this.#isClosed) throw closed()
    this.#opened ??= openSigner(this.#input)
    return this.#opened
  }
}

/** @throws AlvariumError `KEY_INVALID` */
async function openSigner(input: WebCryptoKeyPair | Signer) {
  const signer = (await externalSigner(input)) as Signer
  return { signer, check: ed25519CheckOf(signer.verifyingKey) }
}

function closed(): AlvariumError {
  const got = 'one that was closed, for example with another SDK that used it'
  return expected('CODEC_FAILED', 'codec', 'an open codec', got)
}
