import { type ClassicDialect, signBytes, toHex } from 'alvarium-sdk'
import { base64, utf8 } from '../support/bytes.js'

/** Classic messages by the table of FORMAT.md ("Classic"), written without the package's writer. */

export interface SaidBundle {
  readonly action: string
  readonly content: {
    readonly signature: string
    readonly previousKey?: string
    readonly key: string
    readonly hash: string
    readonly host: string
    readonly layer: string
    readonly timestamp: string
    readonly annotations: readonly {
      readonly id: string
      readonly kind: string
      readonly tag: string
      readonly isSatisfied: boolean
    }[]
  }
}

const A = ['id', 'key', 'hash', 'host', 'tag', 'layer', 'kind', 'signature', 'isSatisfied', 'timestamp']
const B = ['id', 'key', 'hash', 'host', 'kind', 'timestamp', 'signature', 'isSatisfied']

interface Column {
  readonly type: string
  readonly members: readonly string[]
  readonly space: string
  readonly escaped: RegExp
  readonly alsoEscapedWhenSigned?: RegExp
  readonly isLower?: boolean
  readonly fractions: readonly number[]
  readonly utc: string
}

const NEVER = /(?!)/g
const COLUMNS: Readonly<Record<ClassicDialect, Column>> = {
  go: {
    type: 'contracts.AnnotationList',
    members: A,
    space: '',
    escaped: /[<>&\u2028\u2029]/g,
    fractions: [0, 1, 2, 3, 4, 5, 6],
    utc: 'Z',
  },
  java: {
    type: 'com.alvarium.contracts.AnnotationList',
    members: A,
    space: '',
    escaped: /[\u2028\u2029]/g,
    alsoEscapedWhenSigned: /[<>&=']/g,
    fractions: [0, 3, 6],
    utc: 'Z',
  },
  rust: {
    type: 'alvarium_annotator::annotations::AnnotationList',
    members: A,
    space: '',
    escaped: NEVER,
    isLower: true,
    fractions: [0, 3, 6],
    utc: '+00:00',
  },
  python: {
    type: 'AnnotationList',
    members: B,
    space: ' ',
    escaped: /[^ -~]/g,
    isLower: true,
    fractions: [0, 6],
    utc: '+00:00',
  },
}

/**
 * Writes a bundle as the SDK of that dialect would have published it.
 *
 * @param tagOfSdk - the tag of an SDK whose bundle has no annotations
 */
export function classicByHand(
  { action, content }: SaidBundle,
  dialect: ClassicDialect,
  signingKey: Uint8Array,
  tagOfSdk: string,
): string {
  const column = COLUMNS[dialect]
  const { hash, host, layer, annotations } = content
  const timestamp = timestampBy(column, dialect, content.timestamp)
  const items = annotations.map((one) => ({ ...one, key: content.key }))
  const tag = annotations[0]?.tag ?? tagOfSdk
  const source = {
    kind: 'src',
    tag,
    isSatisfied: true,
    key: content.previousKey ?? '',
    id: ulidByHand(content),
  }
  const all = action === 'mutate' ? [source, ...items.filter(({ kind }) => kind !== 'tls')] : items
  const texts = all.map((one) =>
    annotationBy(dialect, signingKey, {
      ...one,
      key: keyBy(dialect, one.key, hash),
      hash,
      host,
      layer,
      timestamp,
    }),
  )
  const [comma, colon] = [`,${column.space}`, `:${column.space}`]
  const list = texts.length === 0 && dialect === 'go' ? '{}' : `{"items"${colon}[${texts.join(comma)}]}`
  const envelope = { action, messageType: column.type, content: base64(utf8(list)) }
  return `{${Object.entries(envelope)
    .map(([name, text]) => `"${name}"${colon}"${text}"`)
    .join(comma)}}`
}

function annotationBy(
  dialect: ClassicDialect,
  signingKey: Uint8Array,
  said: Record<string, unknown>,
): string {
  const { members, space, escaped, alsoEscapedWhenSigned = NEVER } = COLUMNS[dialect]
  const write = (signature: string | undefined, also: RegExp) => {
    const values: Record<string, unknown> = { ...said, signature }
    const written = members
      .filter((name) => values[name] !== undefined && !(dialect === 'go' && values[name] === ''))
      .map(
        (name) =>
          `"${name}":${space}${JSON.stringify(values[name]).replaceAll(escaped, escapeOf).replaceAll(also, escapeOf)}`,
      )
    return `{${written.join(`,${space}`)}}`
  }
  const signed = write(dialect === 'rust' ? '' : undefined, alsoEscapedWhenSigned)
  const signature = toHex(signBytes(signingKey, utf8(signed)))
  return write(dialect === 'java' ? signature.toUpperCase() : signature, NEVER)
}

const escapeOf = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

function keyBy(dialect: ClassicDialect, key: string, hash: string): string {
  if (hash !== 'none') return COLUMNS[dialect].isLower ? key.toLowerCase() : key
  return dialect === 'go' ? key.toUpperCase() : key
}

/** Writes a timestamp with at most six digits of a fraction. */
function timestampBy({ fractions, utc }: Column, dialect: ClassicDialect, timestamp: string): string {
  const [, whole = '', digits = ''] = /^([^.]*?)(?:\.(\d+))?Z$/.exec(timestamp) ?? []
  const least = digits.replace(/0+$/, '').length
  const count = fractions.find((one) => one >= least) ?? 6
  if (count > 0) return `${whole}.${digits.padEnd(6, '0').slice(0, count)}${utc}`
  return `${dialect === 'java' ? whole.replace(/:00$/, '') : whole}${utc}`
}

/** Makes a ULID of 48 bits of milliseconds and the first ten bytes of the signature. */
function ulidByHand({ timestamp, signature }: SaidBundle['content']): string {
  const bits = (BigInt(Date.parse(timestamp)) << 80n) | BigInt(`0x${signature.slice(0, 20)}`)
  const digits = bits.toString(2).padStart(130, '0').match(/.{5}/g) ?? []
  return digits.map((digit) => '0123456789ABCDEFGHJKMNPQRSTVWXYZ'[Number.parseInt(digit, 2)]).join('')
}
