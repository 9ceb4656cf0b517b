import type { HashName, Layer } from '../model/bundle.js'
import { goUpperCase } from './upper-case.js'

/** Whose byte rules a classic message follows: those of the Go, Java, Rust or Python SDK. */
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

/** An annotation's text around its signature: `{"id":…,"kind":"src"` and `,"isSatisfied":…}`. */
export interface SurroundingText {
  readonly before: string
  readonly after: string
}

/** The byte rules of one SDK (FORMAT.md, "Classic"). */
export interface Dialect {
  readonly name: ClassicDialect
  readonly messageType: string
  readonly comma: ',' | ', '
  readonly colon: ':' | ': '
  /** The members in their order on the wire. */
  readonly members: readonly MemberName[]
  /** Whether a member without text is left out. */
  readonly omitsEmpty: boolean
  /** A key as this SDK spells it, out of ours. */
  readonly key: (key: string, hash: HashName) => string
  /** Whether the key of a payload `{"seed","signature"}` is that of its seed alone. */
  readonly hashesSeed: boolean
  readonly upperSignature: boolean
  /** Of how many digits a timestamp's fraction is a multiple, trailing zeros left out. */
  readonly fractionStep: 1 | 3 | 6
  /** How a timestamp says that it is in UTC. */
  readonly utc: 'Z' | '+00:00'
  /** Whether a time at a full minute is written without its seconds, as java.time does. */
  readonly omitsZeroSeconds: boolean
  /** Layers whose annotations have a tag unless somebody says otherwise. */
  readonly taggedLayers: readonly Layer[]
  /** The kinds that consumers by this SDK know, where they refuse others, and what then becomes of the message. */
  readonly known?: { readonly kinds: readonly string[]; readonly fate: string }
  /** How much longer a key with hash `none` may be than the payload: a letter can take more bytes in upper case, three for two. */
  readonly plainKeyGrowth: 1 | 1.5
  /** A text as a JSON string. */
  readonly quote: (text: string) => string
  /** What is signed. */
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
/** Not by way of those above: bundlers keep a spread, and with it this whole table, where nobody reads classic messages. */
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

const escaped = (json: string, characters: RegExp) =>
  json.replace(characters, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** Each of the four SDKs' rules, confirmed by verifying what they signed. */
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
    quote: (text) => escaped(JSON.stringify(text), /[<>&\u2028\u2029]/g),
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
    known: {
      kinds: KNOWN_TO_JAVA,
      fate: 'takes the annotation for a forged one',
    },
    plainKeyGrowth: 1,
    quote: (text) => escaped(JSON.stringify(text), /[\u2028\u2029]/g),
    // Gson escapes for HTML where it signs, and not where it publishes. None of these stand outside of strings.
    signedText: (parts) => escaped(withoutSignature(parts), /[<>&=']/g),
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
    known: { kinds: KNOWN_TO_PYTHON, fate: 'refuses the whole message' },
    plainKeyGrowth: 1,
    quote: (text) => escaped(JSON.stringify(text), /[\u007f-\uffff]/g),
    signedText: withoutSignature,
  },
}

/** The dialect of a message type. Rust's is the path of a type, which depends on where the SDK keeps it. */
export function dialectOf(messageType: string): Dialect | undefined {
  if (messageType.endsWith('::AnnotationList')) return DIALECTS.rust
  return Object.values(DIALECTS).find((dialect) => dialect.messageType === messageType)
}
