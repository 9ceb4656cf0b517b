import { expected } from '../../foundation/base/errors.js'

/** Returns WebCrypto, which digests of bodies and signatures of ECDSA need. */
export function webCrypto(field: string): NonNullable<typeof globalThis.crypto>['subtle'] {
  const { subtle } = globalThis.crypto ?? {}
  if (subtle) return subtle
  throw expected('CORE_UNAVAILABLE', field, 'WebCrypto (a secure context)', 'a page or runtime without it')
}

const ECDSA = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const

/**
 * Makes a verifier for `ecdsa-p256-sha256` of RFC 9421 (3.3.4), r ‖ s. It does not use our own module, which accepts
 * only the lower s: signers of HTTP messages write either.
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
