import { toBase64 } from '../../base/bytes/base64.js'
import { join } from '../../base/bytes/join.js'
import { expected } from '../../base/errors.js'
import { ecdsaDer, fromSpki } from '../../keys/ec-der.js'
import { type OpenKeyHolder, openKeyHolder } from '../../keys/key-holder.js'
import type { SignerInput } from '../../keys/signer.js'

// DSSE, Dead Simple Signing Envelope, version 1.0.2 (https://github.com/secure-systems-lab/dsse).

/**
 * What is signed of an envelope: the pre-authentication encoding (protocol.md). A key of ours signs it beside bundles, whose identity
 * bytes begin otherwise.
 */
export function preAuthEncoding(payloadType: string, payload: Uint8Array): Uint8Array {
  const type = new TextEncoder().encode(payloadType)
  const head = `DSSEv1 ${type.length} ${payloadType} ${payload.length} `
  return join([new TextEncoder().encode(head), payload]).bytes
}

/** An envelope as JSON has it (envelope.md). */
export interface Envelope {
  readonly payload: string
  readonly payloadType: string
  readonly signatures: readonly [{ readonly keyid: string; readonly sig: string }]
}

/** Signs envelopes with one key. */
export class EnvelopeSigner {
  readonly #holder: OpenKeyHolder
  readonly #isEc: boolean

  private constructor(holder: OpenKeyHolder, isEc: boolean) {
    this.#holder = holder
    this.#isEc = isEc
  }

  /** The public key: 32 bytes of Ed25519, or SubjectPublicKeyInfo of P-256. */
  get publicKey(): Uint8Array {
    return this.#holder.key
  }

  /** @throws AlvariumError `KEY_INVALID` also for a key by whose algorithm nobody verifies envelopes; and as `loadAlgorithms` */
  static async open(signingKey: SignerInput, timeoutMs: number): Promise<EnvelopeSigner> {
    const holder = await openKeyHolder(signingKey, timeoutMs)
    const name = fromSpki(holder.key)?.curve.name
    if (name === undefined || name === 'P-256') return new EnvelopeSigner(holder, name !== undefined)
    holder.free()
    throw expected('KEY_INVALID', 'signingKey', 'a key of Ed25519 or P-256, which DSSE verifiers know', name)
  }

  /**
   * Signs a payload.
   *
   * @param keyid - a hint, of which every tool has a form of its own; empty, verifiers try the signature with each of their keys
   * @throws AlvariumError `SIGNER_FAILED`
   */
  async sign(payloadType: string, payload: Uint8Array, keyid: string): Promise<Envelope> {
    const signature = await this.#holder.sign(() => preAuthEncoding(payloadType, payload))
    const sig = toBase64(this.#isEc ? ecdsaDer(signature) : signature)
    return { payload: toBase64(payload), payloadType, signatures: [{ keyid, sig }] }
  }

  /** Wipes the key. */
  free(): void {
    this.#holder.free()
  }
}
