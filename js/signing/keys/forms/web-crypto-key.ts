import { expected } from '../../../foundation/base/errors.js'
import type { VerifyingKeyInput } from '../verifying.js'

/** A `CryptoKey` of WebCrypto, with the members that this package reads. */
export interface WebCryptoKey {
  readonly type: string
  readonly algorithm: { readonly name: string; readonly namedCurve?: string }
}

export function isWebCryptoKey(value: unknown): value is WebCryptoKey {
  const { type, algorithm } = Object(value) as Partial<WebCryptoKey>
  return typeof type === 'string' && typeof Object(algorithm).name === 'string'
}

/** Reads a public `CryptoKey` of Ed25519 or ECDSA P-256. @throws AlvariumError `KEY_INVALID` for any other key */
export async function fromWebCryptoKey(key: WebCryptoKey): Promise<VerifyingKeyInput> {
  try {
    return await exportPublicKey(key)
  } catch (cause) {
    const expectation = 'a public Ed25519 or ECDSA P-256 CryptoKey that can be exported'
    throw expected('KEY_INVALID', 'verifyingKey', expectation, undefined, cause)
  }
}

/** Exports a public key. Throws an error of the platform, or a TypeError for a key of another algorithm. */
export async function exportPublicKey(key: WebCryptoKey): Promise<VerifyingKeyInput> {
  const { name, namedCurve = '' } = key.algorithm
  const isKnown = name === 'Ed25519' || (name === 'ECDSA' && namedCurve === 'P-256')
  if (!isKnown) throw new TypeError(`a key for ${name} ${namedCurve}`.trimEnd())
  const raw = new Uint8Array(await crypto.subtle.exportKey('raw', key as CryptoKey))
  return name === 'ECDSA' ? { algorithm: 'P-256', point: raw } : raw
}
