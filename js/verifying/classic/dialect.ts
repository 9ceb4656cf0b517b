import type { HashName, Layer } from '../../foundation/model/bundle.js'

/**
 * Converts a text to upper case as Go's `strings.ToUpper` does, by Unicode's simple case mapping. JavaScript
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
 * Returns the simple upper-case mapping of a character whose full mapping has several characters. Only Greek
 * letters with an iota subscript change (Unicode, SpecialCasing.txt and UnicodeData.txt).
 */
function simpleOfExpanding(code: number): number {
  if (code >= 0x1f80 && code <= 0x1faf) return code | 8
  return code === 0x1fb3 || code === 0x1fc3 || code === 0x1ff3 ? code + 9 : code
}

/** SDK whose encoding a classic message has. */
export type ClassicDialect = 'go' | 'java' | 'rust' | 'python'

export type MemberName = (typeof MEMBERS)[number]

/** Text of an annotation before and after its signature: `{"id":…,"kind":"src"` and `,"isSatisfied":…}`. */
export interface SurroundingText {
  readonly before: string
  readonly after: string
}

/** Encoding of one SDK's classic messages, byte by byte (FORMAT.md, "Classic"). */
export interface Dialect {
  readonly name: ClassicDialect
  readonly messageType: string
  readonly comma: ',' | ', '
  readonly colon: ':' | ': '
  /** Names of an annotation's members, in the order on the wire. */
  readonly members: readonly MemberName[]
  readonly omitsEmpty: boolean
  readonly key: (key: string, hash: HashName) => string
  /** True if the SDK hashes only the seed of a payload of the form `{"seed","signature"}`. */
  readonly hashesSeed: boolean
  readonly upperSignature: boolean
  /** Step in the number of fraction digits of a timestamp: 3 means 0, 3, 6 or 9 digits. */
  readonly fractionStep: 1 | 3 | 6
  readonly utc: 'Z' | '+00:00'
  /** True if the SDK omits seconds of `00`, as java.time does. */
  readonly omitsZeroSeconds: boolean
  readonly taggedLayers: readonly Layer[]
  /** Kinds that consumers of this SDK know, and their reaction to others (`fate`); undefined if all are accepted. */
  readonly consumerKinds?: { readonly kinds: readonly string[]; readonly fate: string }
  /**
   * Maximum length of a payload key with hash `none`, divided by the payload's length. In a dialect that converts
   * the payload to upper case, the key can be longer.
   */
  readonly plainKeyGrowth: 1 | 1.5
  readonly quote: (text: string) => string
  readonly signedText: (parts: SurroundingText) => string
}

const MEMBERS = [
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
] as const
const PYTHON_MEMBERS = ['id', 'key', 'hash', 'host', 'kind', 'timestamp', 'signature', 'isSatisfied'] as const

const KNOWN_TO_PYTHON: readonly string[] = ['tpm', 'pki', 'pki-http', 'tls', 'src', 'mock']
/** Kinds that Java's SDK knows. Repeats Python's kinds, because bundlers do not drop an unused list with a spread. */
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

/** Encodings of the four SDKs, confirmed by verifying signatures of these SDKs. */
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
    // Escape these characters, as Java's SDK (Gson) does in signed but not in published texts. They occur only in
    // strings.
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

/**
 * Returns the dialect of a message type. For Rust, only the end of the type counts, because the type is a
 * module path.
 */
export function dialectOf(messageType: string): Dialect | undefined {
  if (messageType.endsWith('::AnnotationList')) return DIALECTS.rust
  return Object.values(DIALECTS).find((dialect) => dialect.messageType === messageType)
}
