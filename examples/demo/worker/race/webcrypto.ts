import type { Primitives } from './contestant.ts'

/** DER prefix of an Ed25519 private key in PKCS#8 (RFC 8410). */
const PKCS8 = [0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20]

export async function webCrypto(signingKey: Uint8Array): Promise<Primitives | string> {
  const subtle: SubtleCrypto | undefined = globalThis.crypto.subtle
  if (!subtle) return 'WebCrypto is there only on pages that came over HTTPS or from this machine'
  const pkcs8 = Uint8Array.of(...PKCS8, ...signingKey.subarray(0, 32))
  try {
    const key = await subtle.importKey('pkcs8', pkcs8, 'Ed25519', false, ['sign'])
    return {
      sha256: async (payload) => new Uint8Array(await subtle.digest('SHA-256', payload)),
      sign: async (bytes) => new Uint8Array(await subtle.sign('Ed25519', key, bytes)),
    }
  } catch {
    return 'this browser’s WebCrypto has no Ed25519'
  }
}
