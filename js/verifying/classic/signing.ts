import { toHex } from '../../foundation/base/bytes/hex.js'
import { AlvariumError } from '../../foundation/base/errors.js'
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

/** Signer of classic messages: synchronous with a key in the core, asynchronous with an external key. */
export interface Signing<Signed> {
  sign(write: () => UnsignedMessage): Signed
  /** Opens an external signer, and sets the time limit for each signature in milliseconds. */
  open(timeoutMs: number): Promise<void> | undefined
  close(): void
}

export class KeySigning implements Signing<Uint8Array> {
  #key: CoreObject<SigningKey> | undefined

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

/** Time limit of a signature in milliseconds if `openSdk` sets none. `signerTimeoutMs` has the same default. */
const SIGNER_TIMEOUT_MS = 10_000

/** Signs classic messages with an external key. Requests all signatures of a message concurrently. */
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
      // Report that the codec is closed: `close` may have freed the public key, which causes another error.
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

async function openSigner(input: WebCryptoKeyPair | Signer) {
  const signer = (await externalSigner(input)) as Signer
  return { signer, check: openEd25519Check(signer.verifyingKey) }
}

function closedError(): AlvariumError {
  return new AlvariumError('CODEC_FAILED', 'codec: was closed, for example with another SDK that used it')
}
