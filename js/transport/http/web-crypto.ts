import { expected } from '../../foundation/base/errors.js'

/**
 * Returns WebCrypto, which computes digests of bodies and verifies ECDSA signatures.
 * @throws AlvariumError `CORE_UNAVAILABLE`
 */
export function webCrypto(field: string): NonNullable<typeof globalThis.crypto>['subtle'] {
  const { subtle } = globalThis.crypto ?? {}
  if (subtle) return subtle
  throw expected('CORE_UNAVAILABLE', field, 'WebCrypto (a secure context)', 'a page or runtime without it')
}

const ECDSA = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const

/**
 * Makes a verifier for `ecdsa-p256-sha256` (RFC 9421, 3.3.4; signatures are r ‖ s). Uses WebCrypto, because
 * the core accepts only low s and signers of HTTP messages may write high s.
 *
 * @param point - the public key, 65 bytes
 */
export function p256Verifier(point: Uint8Array) {
  const importKey = () =>
    webCrypto('signature').importKey('raw', new Uint8Array(point), ECDSA, false, ['verify'])
  let key: ReturnType<typeof importKey> | undefined
  return async (bytes: Uint8Array, signature: Uint8Array): Promise<boolean> => {
    key ??= importKey()
    return webCrypto('signature').verify(ECDSA, await key, new Uint8Array(signature), new Uint8Array(bytes))
  }
}
