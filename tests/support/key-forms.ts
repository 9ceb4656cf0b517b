import { type SigningKeyInput, toHex, type VerifyingKeyInput } from 'alvarium-sdk'
import { base64, concat, fromHex, textOf, utf8 } from './bytes.js'
import { openssl } from './openssl.js'

/** The bytes of a PKCS#8 Ed25519 key before its seed (RFC 8410 section 7). */
const PKCS8 = fromHex('302e020100300506032b657004220420')

export interface ExportedKey {
  readonly der: Uint8Array
  readonly pem: string
  readonly jwk: JsonWebKey
}

/** Returns the private key of a seed, by way of the platform's own WebCrypto. */
export async function privateKeyOf(seed: Uint8Array): Promise<ExportedKey> {
  return exported(await crypto.subtle.importKey('pkcs8', concat(PKCS8, seed), 'Ed25519', true, ['sign']))
}

/** Returns a key in the forms that the platform's WebCrypto exports. */
export async function exported(key: CryptoKey): Promise<ExportedKey> {
  const isPrivate = key.type === 'private'
  const der = new Uint8Array(await crypto.subtle.exportKey(isPrivate ? 'pkcs8' : 'spki', key))
  const pem = pemOf(isPrivate ? 'PRIVATE KEY' : 'PUBLIC KEY', der)
  return { der, pem, jwk: await crypto.subtle.exportKey('jwk', key) }
}

/** Returns every form of one private key, by name; `seed` and `publicKey` are its halves. */
export async function privateForms(
  seed: Uint8Array,
  publicKey: Uint8Array,
): Promise<[string, SigningKeyInput][]> {
  const { der, pem, jwk } = await privateKeyOf(seed)
  const both = concat(seed, publicKey)
  const hex = toHex(both)
  const v2 = concat(fromHex('3051020101300506032b657004220420'), seed, fromHex('812100'), publicKey)
  const texts = textForms(
    { '128 digits': hex },
    {
      'PKCS#8 PEM': pem,
      'PKCS#8 PEM by openssl': textOf(await openssl(['pkey', '-outform', 'PEM'], pem)),
      'PKCS#8 v2 PEM': pemOf('PRIVATE KEY', v2),
    },
    jwk,
  )
  const seeds = digitForms({ '64 digits': hex.slice(0, 64) })
  return [
    ['seed', { seed }],
    ...seeds.map(([name, form]): [string, SigningKeyInput] => [`seed of ${name}`, { seed: form }]),
    ['seed and public key', both],
    ['PKCS#8 DER', der],
    ['PKCS#8 DER by openssl', await openssl(['pkey', '-outform', 'DER'], pem)],
    ['PKCS#8 v2 DER with the public key', v2],
    [
      'PKCS#8 v2 DER with the tag that ring wrote',
      concat(fromHex('3053020101300506032b657004220420'), seed, fromHex('a123032100'), publicKey),
    ],
    ['JWK', jwk],
    ...texts,
  ]
}

export async function publicForms(
  seed: Uint8Array,
  publicKey: Uint8Array,
): Promise<[string, VerifyingKeyInput][]> {
  const { pem: privatePem } = await privateKeyOf(seed)
  const raw = Uint8Array.from(publicKey)
  const { der, pem, jwk } = await exported(
    await crypto.subtle.importKey('raw', raw, 'Ed25519', true, ['verify']),
  )
  const opensslPem = textOf(await openssl(['pkey', '-pubout', '-outform', 'PEM'], privatePem))
  return [
    ['public key', publicKey],
    ['SPKI DER', der],
    ['SPKI DER by openssl', await openssl(['pkey', '-pubout', '-outform', 'DER'], privatePem)],
    ['JWK', jwk],
    ...textForms(
      { '64 digits': toHex(publicKey) },
      { 'SPKI PEM': pem, 'SPKI PEM by openssl': opensslPem },
      jwk,
    ),
  ]
}

/**
 * Returns the changes that an editor, another system or a shell makes to a text file: each as a text and as the
 * file's bytes.
 */
function textForms(
  digits: Record<string, string>,
  pems: Record<string, string>,
  jwk: JsonWebKey,
): [string, string | Uint8Array][] {
  const jwks: [string, string][] = [
    ['JWK text', JSON.stringify(jwk)],
    ['JWK text over lines', JSON.stringify(jwk, null, 2)],
  ]
  const crlf = Object.entries(pems).map(([name, pem]): [string, string] => [
    `${name} with CRLF`,
    pem.replaceAll('\n', '\r\n'),
  ])
  const announced = Object.entries(pems).map(([name, pem]): [string, string] => [
    `${name} behind what another program says of it`,
    `Bag Attributes\r\n    friendlyName: edge-7\r\nKey Attributes: <No Attributes>\r\n${pem}`,
  ])
  const whole = [...Object.entries(pems), ...crlf, ...announced].flatMap(asTextAndBytes)
  return [...whole, ...digitForms(digits), ...surrounded([...jwks, ...Object.entries(pems).slice(0, 1)])]
}

/** Returns digits in either case, as a file may have them. */
function digitForms(digits: Record<string, string>): [string, string | Uint8Array][] {
  const cases = Object.entries(digits).flatMap(([name, hex]): [string, string][] => [
    [name, hex],
    [`${name} in upper case`, hex.toUpperCase()],
  ])
  return surrounded(cases)
}

function surrounded(texts: [string, string][]): [string, string | Uint8Array][] {
  return texts.flatMap(([name, text]) =>
    SURROUNDINGS.flatMap(([what, surround]) => asTextAndBytes([`${name}${what}`, surround(text)])),
  )
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
  [' after the mark of UTF-8', (text) => `\uFEFF${text}`],
]

/** Returns PEM of DER (RFC 7468). */
export function pemOf(label: string, der: Uint8Array): string {
  const lines = base64(der).replace(/.{64}(?=.)/g, '$&\n')
  return `-----BEGIN ${label}-----\n${lines}\n-----END ${label}-----\n`
}
