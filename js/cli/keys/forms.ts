import { createPrivateKey, createPublicKey } from 'node:crypto'
import { type Algorithm, type KeyPair, toHex } from 'alvarium-sdk'
import { PKCS8 } from '../../keys/seed.js'
import { invalid } from '../fault.js'

/** How a key is written. */
export type Form = 'hex' | 'seed' | 'pem' | 'der' | 'jwk'

/** Both halves as their files have them. The private one is to be wiped. */
export interface Halves {
  readonly privateKey: Uint8Array
  readonly publicKey: Uint8Array
}

/** RFC 8410 §4: what stands before the public key. */
const ED25519_SPKI = [0x30, 0x2a, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 3, 0x21, 0]

const encoder = new TextEncoder()

/**
 * A key pair in one of its forms.
 *
 * @throws AlvariumError `CONFIG_INVALID` for a form that the algorithm does not have
 */
export function writtenAs(form: Form, pair: KeyPair, algorithm: Algorithm): Halves {
  if (form === 'hex' || form === 'seed') return digits(form, pair, algorithm)
  const der = derOf(pair, algorithm)
  if (form === 'der') return der
  if (form === 'jwk') return jwks(der, algorithm)
  return {
    privateKey: pem('PRIVATE KEY', der.privateKey),
    publicKey: pem('PUBLIC KEY', der.publicKey),
  }
}

/** As the other Alvarium SDKs have them. */
function digits(form: 'hex' | 'seed', { signingKey, verifyingKey }: KeyPair, algorithm: Algorithm): Halves {
  if (algorithm !== 'Ed25519') {
    throw invalid('--form', `pem, der or jwk for ${algorithm}`, `${form}, which is for Ed25519 alone`)
  }
  const secret = form === 'seed' ? signingKey.subarray(0, 32) : signingKey
  return { privateKey: encoder.encode(toHex(secret)), publicKey: encoder.encode(toHex(verifyingKey)) }
}

/** PKCS#8 and SubjectPublicKeyInfo. */
function derOf({ signingKey, verifyingKey }: KeyPair, algorithm: Algorithm): Halves {
  if (algorithm !== 'Ed25519') return { privateKey: signingKey, publicKey: verifyingKey }
  return {
    privateKey: Uint8Array.from([...PKCS8, ...signingKey.subarray(0, 32)]),
    publicKey: Uint8Array.from([...ED25519_SPKI, ...verifyingKey]),
  }
}

function jwks({ privateKey, publicKey }: Halves, algorithm: Algorithm): Halves {
  if (algorithm === 'SM2') throw invalid('--form', 'pem or der for SM2', 'jwk, in which it has no name')
  const secret = createPrivateKey({ key: Buffer.from(privateKey), format: 'der', type: 'pkcs8' })
  const open = createPublicKey({ key: Buffer.from(publicKey), format: 'der', type: 'spki' })
  const text = (key: typeof secret) => encoder.encode(`${JSON.stringify(key.export({ format: 'jwk' }))}\n`)
  return { privateKey: text(secret), publicKey: text(open) }
}

/** RFC 7468: lines of 64 characters. */
function pem(label: string, der: Uint8Array): Uint8Array {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? []
  return encoder.encode(`-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`)
}
