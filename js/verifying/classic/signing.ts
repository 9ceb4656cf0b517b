import { toHex } from '../../foundation/base/bytes/hex.js'
import { type AlvariumError, expected } from '../../foundation/base/errors.js'
import { type CoreObject, type SigningKey, withCore } from '../../foundation/core/core.js'
import { openSigningKey, wipeStack } from '../../signing/keys/core-key.js'
import type { SigningKeyInput } from '../../signing/keys/key-pair.js'
import { openEd25519Check } from '../../signing/keys/signature-check.js'
import {
  externalSigner,
  type Signer,
  signExternally,
  type WebCryptoKeyPair,
} from '../../signing/keys/signer.js'
import type { UnsignedMessage } from './write.js'

/** Signature method of messages: synchronous with a key in the core, asynchronous with an external one. */
export interface Signing<Signed> {
  /** @param write - returns the texts to sign; its errors are thrown like those of signing */
  sign(write: () => UnsignedMessage): Signed
  /** Opens an external signer, and sets its timeout for each signature. */
  open(timeoutMs: number): Promise<void> | undefined
  close(): void
}

/** Signing with a key in the core. */
export class KeySigning implements Signing<Uint8Array> {
  #key: CoreObject<SigningKey> | undefined

  /** @throws AlvariumError `KEY_INVALID` */
  constructor(input: SigningKeyInput) {
    this.#key = openSigningKey(input)
  }

  sign(write: () => UnsignedMessage): Uint8Array {
    const key = this.#key
    if (!key) throw closedError()
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

/** Timeout of a signer when the codec is used without `openSdk`, which has the same default. */
const SIGNER_TIMEOUT_MS = 10_000

/** Signing with an external key, which is asked for all signatures of a message concurrently. */
export class SignerSigning implements Signing<Promise<Uint8Array>> {
  readonly #input: WebCryptoKeyPair | Signer
  #timeoutMs = SIGNER_TIMEOUT_MS
  #opened: ReturnType<typeof openSigner> | undefined
  #isClosed = false

  constructor(input: WebCryptoKeyPair | Signer) {
    this.#input = input
  }

  async sign(write: () => UnsignedMessage): Promise<Uint8Array> {
    const { texts, signed } = write()
    try {
      const external = { ...(await this.#signer()), timeoutMs: this.#timeoutMs }
      const signatures = texts.map((text) => signExternally(external, text))
      return signed((await Promise.all(signatures)).map(toHex))
    } catch (error) {
      // Report a closed codec as such: `close` may have freed the public key during the call, which then
      // fails with another error.
      throw this.#isClosed ? closedError() : error
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
    if (this.#isClosed) throw closedError()
    this.#opened ??= openSigner(this.#input)
    return this.#opened
  }
}

/** Opens a signer. @throws AlvariumError `KEY_INVALID` */
async function openSigner(input: WebCryptoKeyPair | Signer) {
  const signer = (await externalSigner(input)) as Signer
  return { signer, check: openEd25519Check(signer.verifyingKey) }
}

function closedError(): AlvariumError {
  const got = 'one that was closed, for example with another SDK that used it'
  return expected('CODEC_FAILED', 'codec', 'an open codec', got)
}
