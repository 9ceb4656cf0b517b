import type { HashName, Layer } from '../../foundation/model/bundle.js'

/**
 * Returns a text in upper case as Go's `strings.ToUpper` writes it: character by character, by Unicode's simple case mapping. JavaScript
 * uses the full mapping, which turns `ß` into `SS`.
 */
function goUpperCase(text: string): string {
  return Array.from(text, simpleUpperCase).join('')
}

function simpleUpperCase(character: string): string {
  const upper = character.toUpperCase()
  const [first, ...more] = upper
  if (first !== undefined && more.length === 0) return upper
  return String.fromCodePoint(simpleOfExpanding(character.codePointAt(0) as number))
}

/**
 * Returns the simple mapping of a character whose full mapping is several characters. It is the character itself, except for Greek letters
 * with an iota subscript (Unicode, SpecialCasing.txt and UnicodeData.txt).
 */
function simpleOfExpanding(code: number): number {
  if (code >= 0x1f80 && code <= 0x1faf) return code | 8
  return code === 0x1fb3 || code === 0x1fc3 || code === 0x1ff3 ? code + 9 : code
}

/** SDK whose byte rules a classic message follows: Go, Java, Rust or Python. */
export type ClassicDialect = 'go' | 'java' | 'rust' | 'python'

/** A member of a classic annotation. */
export type MemberName =
  | 'id'
  | 'key'
  | 'hash'
  | 'host'
  | 'tag'
  | 'layer'
  | 'kind'
  | 'signature'
  | 'isSatisfied'
  | 'timestamp'

/** Text of an annotation around its signature: `{"id":…,"kind":"src"` and `,"isSatisfied":…}`. */
export interface SurroundingText {
  readonly before: string
  readonly after: string
}

/** Byte rules of one SDK (FORMAT.md, "Classic"). */
export interface Dialect {
  readonly name: ClassicDialect
  readonly messageType: string
  readonly comma: ',' | ', '
  readonly colon: ':' | ': '
  /** Members in their order on the wire. */
  readonly members: readonly MemberName[]
  /** True if empty members are omitted. */
  readonly omitsEmpty: boolean
  /** Returns a payload key as this SDK spells it. */
  readonly key: (key: string, hash: HashName) => string
  /** True if the key of a payload `{"seed","signature"}` is that of its seed alone. */
  readonly hashesSeed: boolean
  readonly upperSignature: boolean
  /** Divisor of the number of fraction digits in a timestamp, without trailing zeros. */
  readonly fractionStep: 1 | 3 | 6
  /** UTC designator of timestamps. */
  readonly utc: 'Z' | '+00:00'
  /** True if a time at a full minute is written without its seconds, as java.time does. */
  readonly omitsZeroSeconds: boolean
  /** Layers whose annotations have a tag by default. */
  readonly taggedLayers: readonly Layer[]
  /** Kinds that consumers by this SDK know, if they refuse others; `fate` is the consequence for the message. */
  readonly consumerKinds?: { readonly kinds: readonly string[]; readonly fate: string }
  /** Factor by which a key with hash `none` may be longer than the payload: two bytes of a letter can become three in upper case. */
  readonly plainKeyGrowth: 1 | 1.5
  /** Returns a text as a JSON string. */
  readonly quote: (text: string) => string
  /** Returns the signed text. */
  readonly signedText: (parts: SurroundingText) => string
}

const MEMBERS: readonly MemberName[] = [
  'id',
  'key',
  'hash',
  'host',
  'tag',
  'layer',
  'kind',
  'signature',
  'isSatisfied',
  'timestamp',
]
const PYTHON_MEMBERS: readonly MemberName[] = [
  'id',
  'key',
  'hash',
  'host',
  'kind',
  'timestamp',
  'signature',
  'isSatisfied',
]

const KNOWN_TO_PYTHON: readonly string[] = ['tpm', 'pki', 'pki-http', 'tls', 'src', 'mock']
/**
 * List repeated without a spread of the one above: bundlers keep a spread, and with it this whole table, even if classic messages are not
 * used.
 */
const KNOWN_TO_JAVA: readonly string[] = [
  'tpm',
  'pki',
  'pki-http',
  'tls',
  'src',
  'mock',
  'source-code',
  'checksum',
  'vulnerability',
  'sbom',
]

const lowerHex = (key: string, hash: HashName) => (hash === 'none' ? key : key.toLowerCase())
const withoutSignature = ({ before, after }: SurroundingText) => before + after

const escapeCharacters = (json: string, characters: RegExp) =>
  json.replace(characters, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** Rules of the four SDKs, confirmed by verifying their signatures. */
export const DIALECTS: Readonly<Record<ClassicDialect, Dialect>> = {
  go: {
    name: 'go',
    messageType: 'contracts.AnnotationList',
    comma: ',',
    colon: ':',
    members: MEMBERS,
    omitsEmpty: true,
    key: (key, hash) => (hash === 'none' ? goUpperCase(key) : key),
    hashesSeed: false,
    upperSignature: false,
    fractionStep: 1,
    utc: 'Z',
    omitsZeroSeconds: false,
    taggedLayers: ['app', 'os', 'host'],
    plainKeyGrowth: 1.5,
    quote: (text) => escapeCharacters(JSON.stringify(text), /[<>&\u2028\u2029]/g),
    signedText: withoutSignature,
  },
  java: {
    name: 'java',
    messageType: 'com.alvarium.contracts.AnnotationList',
    comma: ',',
    colon: ':',
    members: MEMBERS,
    omitsEmpty: false,
    key: (key) => key,
    hashesSeed: false,
    upperSignature: true,
    fractionStep: 3,
    utc: 'Z',
    omitsZeroSeconds: true,
    taggedLayers: ['app'],
    consumerKinds: {
      kinds: KNOWN_TO_JAVA,
      fate: 'takes the annotation for a forged one',
    },
    plainKeyGrowth: 1,
    quote: (text) => escapeCharacters(JSON.stringify(text), /[\u2028\u2029]/g),
    // Escape as Gson does where it signs, but not where it publishes. None of these characters occurs outside of strings.
    signedText: (parts) => escapeCharacters(withoutSignature(parts), /[<>&=']/g),
  },
  rust: {
    name: 'rust',
    messageType: 'alvarium_annotator::annotations::AnnotationList',
    comma: ',',
    colon: ':',
    members: MEMBERS,
    omitsEmpty: false,
    key: lowerHex,
    hashesSeed: true,
    upperSignature: false,
    fractionStep: 3,
    utc: '+00:00',
    omitsZeroSeconds: false,
    taggedLayers: ['app'],
    plainKeyGrowth: 1,
    quote: (text) => JSON.stringify(text),
    signedText: ({ before, after }) => `${before},"signature":""${after}`,
  },
  python: {
    name: 'python',
    messageType: 'AnnotationList',
    comma: ', ',
    colon: ': ',
    members: PYTHON_MEMBERS,
    omitsEmpty: false,
    key: lowerHex,
    hashesSeed: false,
    upperSignature: false,
    fractionStep: 6,
    utc: '+00:00',
    omitsZeroSeconds: false,
    taggedLayers: [],
    consumerKinds: { kinds: KNOWN_TO_PYTHON, fate: 'refuses the whole message' },
    plainKeyGrowth: 1,
    quote: (text) => escapeCharacters(JSON.stringify(text), /[\u007f-\uffff]/g),
    signedText: withoutSignature,
  },
}

/** Returns the dialect of a message type. Rust's type is a path that depends on the module of the SDK. */
export function dialectOf(messageType: string): Dialect | undefined {
  if (messageType.endsWith('::AnnotationList')) return DIALECTS.rust
  return Object.values(DIALECTS).find((dialect) => dialect.messageType === messageType)
}
