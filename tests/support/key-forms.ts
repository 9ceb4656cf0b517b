import { execFileSync } from 'node:child_process'
import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import type { SigningKeyInput, VerifyingKeyInput } from 'alvarium-sdk'
import { concat, fromHex, utf8 } from './bytes.js'

/** The bytes of a PKCS#8 Ed25519 key before its seed (RFC 8410 section 7). */
const PKCS8 = fromHex('302e020100300506032b657004220420')

/** OpenSSL's private key of a seed, as node:crypto holds it. */
export function privateKeyOf(seed: Uint8Array): KeyObject {
  return createPrivateKey({ key: Buffer.from(concat(PKCS8, seed)), format: 'der', type: 'pkcs8' })
}

/** Every form of one private key, by name; `seed` and `publicKey` are its halves. */
export function privateForms(seed: Uint8Array, publicKey: Uint8Array): [string, SigningKeyInput][] {
  const key = privateKeyOf(seed)
  const both = concat(seed, publicKey)
  const hex = Buffer.from(both).toString('hex')
  const pem = key.export({ format: 'pem', type: 'pkcs8' }) as string
  const opensslPem = openssl(['pkey', '-outform', 'PEM'], pem)
  const v2 = concat(fromHex('3051020101300506032b657004220420'), seed, fromHex('812100'), publicKey)
  const jwk = key.export({ format: 'jwk' }) as JsonWebKey
  const texts = textForms(
    { '64 digits': hex.slice(0, 64), '128 digits': hex },
    {
      'PKCS#8 PEM': pem,
      'PKCS#8 PEM by openssl': Buffer.from(opensslPem).toString(),
      'PKCS#8 v2 PEM': pemOf('PRIVATE KEY', v2),
    },
    jwk,
  )
  return [
    ['seed', seed],
    ['seed and public key', both],
    ['PKCS#8 DER', Uint8Array.from(key.export({ format: 'der', type: 'pkcs8' }))],
    ['PKCS#8 DER by openssl', openssl(['pkey', '-outform', 'DER'], pem)],
    ['PKCS#8 v2 DER with the public key', v2],
    [
      'PKCS#8 v2 DER with the tag that ring wrote',
      concat(fromHex('3053020101300506032b657004220420'), seed, fromHex('a123032100'), publicKey),
    ],
    ['JWK', jwk],
    ...texts,
  ]
}

/** Every form of one public key, by name. */
export function publicForms(seed: Uint8Array, publicKey: Uint8Array): [string, VerifyingKeyInput][] {
  const privatePem = privateKeyOf(seed).export({ format: 'pem', type: 'pkcs8' }) as string
  const key = createPublicKey(privatePem)
  const pem = key.export({ format: 'pem', type: 'spki' }) as string
  const opensslPem = openssl(['pkey', '-pubout', '-outform', 'PEM'], privatePem)
  const jwk = key.export({ format: 'jwk' }) as JsonWebKey
  const hex = Buffer.from(publicKey).toString('hex')
  return [
    ['public key', publicKey],
    ['SPKI DER', Uint8Array.from(key.export({ format: 'der', type: 'spki' }))],
    ['SPKI DER by openssl', openssl(['pkey', '-pubout', '-outform', 'DER'], privatePem)],
    ['JWK', jwk],
    ...textForms(
      { '64 digits': hex },
      { 'SPKI PEM': pem, 'SPKI PEM by openssl': Buffer.from(opensslPem).toString() },
      jwk,
    ),
  ]
}

/** What an editor, another system or a shell does to a text file: each as a text and as the file's bytes. */
function textForms(
  digits: Record<string, string>,
  pems: Record<string, string>,
  jwk: JsonWebKey,
): [string, string | Uint8Array][] {
  const cases = Object.entries(digits).flatMap(([name, hex]): [string, string][] => [
    [name, hex],
    [`${name} in upper case`, hex.toUpperCase()],
  ])
  const jwks: [string, string][] = [
    ['JWK text', JSON.stringify(jwk)],
    ['JWK text over lines', JSON.stringify(jwk, null, 2)],
  ]
  const crlf = Object.entries(pems).map(([name, pem]): [string, string] => [
    `${name} with CRLF`,
    pem.replaceAll('\n', '\r\n'),
  ])
  const whole = [...Object.entries(pems), ...crlf].flatMap(asTextAndBytes)
  const around = [...cases, ...jwks, ...Object.entries(pems).slice(0, 1)].flatMap(([name, text]) =>
    SURROUNDINGS.flatMap(([what, surround]) => asTextAndBytes([`${name}${what}`, surround(text)])),
  )
  return [...whole, ...around]
}

const asTextAndBytes = ([name, text]: [string, string]): [string, string | Uint8Array][] => [
  [name, text],
  [`${name} as bytes`, utf8(text)],
]

const SURROUNDINGS: [string, (text: string) => string][] = [
  [' alone', (text) => text.trimEnd()],
  [' and a newline', (text) => `${text.trimEnd()}\n`],
  [' and CRLF', (text) => `${text.trimEnd()}\r\n`],
  [' between white space', (text) => ` \n\t${text}\t \n`],
  [' after CRLF', (text) => `\r\n${text}`],
  [' after a tab', (text) => `\t${text}`],
]

/** PEM of DER (RFC 7468). */
export function pemOf(label: string, der: Uint8Array): string {
  const lines = Buffer.from(der).toString('base64').replace(/.{64}/g, '$&\n')
  return `-----BEGIN ${label}-----\n${lines}\n-----END ${label}-----\n`
}

function openssl(args: string[], input: string): Uint8Array {
  return Uint8Array.from(execFileSync('openssl', args, { input, stdio: ['pipe', 'pipe', 'pipe'] }))
}
