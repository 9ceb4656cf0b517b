/** Recognizes messages, keys, policies, packs and other inputs by their bytes, without verifying anything. */
import { isAboutTrust, keysIn, trustedIn } from './key-list.ts'
import { bytesIn, isJson, utf8 } from './ui/text.ts'

/** Kind of an input. `noun` describes an input that the page cannot verify. */
export type GivenKind =
  | { readonly is: 'message' | 'set' | 'proof' | 'key' | 'policy' | 'lease' | 'pack' | 'nothing' }
  | { readonly is: 'other'; readonly noun: string }

const FILES: readonly (readonly [begin: string, noun: string])[] = [
  ['\x89PNG', 'a picture'],
  ['\xff\xd8\xff', 'a picture'],
  ['GIF8', 'a picture'],
  ['RIFF', 'a picture or a sound'],
  ['%PDF-', 'a PDF file'],
  ['\x1f\x8b', 'a compressed file'],
  ['PAR1', 'a Parquet file'],
  ['\x7fELF', 'a program'],
]
const ZIP = 'PK\x03\x04'
/** Number of leading bytes that {@link fileKind} needs. */
export const MAX_HEAD = 16

/** Returns the kind of a file by its leading bytes; undefined if the whole file must be read. */
export function fileKind(head: Uint8Array): GivenKind | undefined {
  const begin = String.fromCharCode(...head.subarray(0, MAX_HEAD))
  if (begin.startsWith(ZIP)) return { is: 'pack' }
  const noun = FILES.find(([magic]) => begin.startsWith(magic))?.[1]
  return noun === undefined ? undefined : { is: 'other', noun }
}

/** Returns the kind of a text, which may be bytes in hexadecimal. */
export function kindOf(shown: string): GivenKind {
  const text = shown.trim()
  if (text === '') return { is: 'nothing' }
  if (isPrivateKey(text)) return { is: 'other', noun: 'a private key. Show it to nobody' }
  if (isKeys(text)) return { is: 'key' }
  const type = typeIn(text)
  if (type === 'Lease') return { is: 'lease' }
  if (isAboutTrust(text)) return { is: trustedIn(text).policy === undefined ? 'lease' : 'policy' }
  if (type === 'Set') return { is: 'set' }
  if (type === 'SetProof') return { is: 'proof' }
  const statement = type === undefined ? undefined : STATEMENTS[type]
  if (statement !== undefined)
    return { is: 'other', noun: `${statement}, which the command alvarium verifies` }
  return isMessage(text) ? { is: 'message' } : { is: 'other', noun: nounOf(text) }
}

const STATEMENTS: Readonly<Record<string, string>> = {
  Checkpoint: 'a checkpoint of a log',
  SetUpdate: 'an update of a set',
  InputProof: 'a proof of an input',
}

/** Returns the type of a message that begins with `messageType`. All messages of this SDK except bundles do. */
function typeIn(text: string): string | undefined {
  return /^\{\s*"messageType"\s*:\s*"alvarium\.(\w+)\/1"/.exec(text)?.[1]
}

const JSON_WEB_TOKEN = /^eyJ[\w-]*\.[\w-]+\.[\w-]*$/
/** Pattern of an Ed25519 key pair in hexadecimal, as other SDKs write private keys. */
const PRIVATE_HEX = /^[\da-f]{128}$/i
/** Pattern of a public key in hexadecimal: Ed25519, a curve point, or a SubjectPublicKeyInfo. */
const PUBLIC_HEX = /^(?:[\da-f]{64}|30[\da-f]{80,260}|0[234][\da-f]{64,128})$/i

/** Pattern of the beginnings of a public key in PEM, as a JWK, and as a line of OpenSSH. */
const KEY_BEGINNINGS = /^(?:-----BEGIN PUBLIC KEY|\{.*"kty"\s*:|ssh-ed25519[ \t]|ecdsa-sha2-)/s

function isPrivateKey(text: string): boolean {
  return text.includes('PRIVATE KEY-----') || PRIVATE_HEX.test(text) || /"kty"\s*:.*"d"\s*:/s.test(text)
}

export function hasPrivateKey(text: string): boolean {
  return isPrivateKey(text.trim()) || keysIn(text).some(isPrivateKey)
}

function isKeys(text: string): boolean {
  return keysIn(text).every((key) => KEY_BEGINNINGS.test(key) || PUBLIC_HEX.test(key))
}

/** Returns whether a text is a message, or part of one, in JSON or CBOR. Does not check its validity. */
function isMessage(text: string): boolean {
  if (text.startsWith('{')) return /"messageType"\s*:|"action"\s*:.*"content"\s*:/s.test(text)
  const bytes = bytesIn(text)
  // Look for the type, which is text in CBOR, too: member names are numbers there.
  return utf8(bytes) !== text && new TextDecoder().decode(bytes).includes('alvarium.')
}

function nounOf(text: string): string {
  if (JSON_WEB_TOKEN.test(text)) return 'a JSON Web Token'
  if (/^[[{]/.test(text)) return isJson(text) ? 'JSON of another kind' : 'text'
  if (/^<(?:!doctype|\?xml|html|svg)/i.test(text)) return 'a document in HTML or XML'
  return /^[\s\da-f]+$/i.test(text) ? 'bytes of another kind' : 'text'
}
