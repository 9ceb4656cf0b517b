import { decode, encode } from 'cborg'
import { AlvariumError, isBytes, textOf } from '../base/errors.js'
import { toBytes, toHex } from '../base/hex.js'
import type { Codec } from './codec.js'

/** Members by their numbers in CBOR (FORMAT.md, "CBOR"). Numbers are never given to another member. */
const NAMES = [
  ...[
    'action',
    'messageType',
    'content',
    'signature',
    'signer',
    'key',
    'previousKey',
    'hash',
    'host',
    'layer',
  ],
  ...[
    'timestamp',
    'annotations',
    'id',
    'kind',
    'tag',
    'isSatisfied',
    'bundles',
    'proof',
    'index',
    'size',
    'path',
  ],
]
const NUMBERS = new Map(NAMES.map((name, number) => [name, number]))

/** What is hexadecimal in JSON; keys only where they are digests. */
const LOWER_HEX = new Set(['signature', 'signer', 'path'])
const UPPER_HEX = new Set(['key', 'previousKey'])

const STRICT = {
  useMaps: true,
  strict: true,
  rejectDuplicateMapKeys: true,
  allowIndefinite: false,
  allowUndefined: false,
  allowBigInt: false,
  allowNaN: false,
  allowInfinity: false,
} as const

/**
 * CBOR (RFC 8949): the same message in about two thirds of the bytes, for small links. Members are numbers, and what
 * JSON writes in hexadecimal is bytes.
 *
 * @example
 * ```ts
 * const sdk = await openSdk({ signingKey, annotators, stream, codec: cbor() })
 * await verifyMessage(bytes, { keyring, codec: cbor() })
 * ```
 */
export function cbor(): Codec {
  return {
    contentType: 'application/cbor',
    encode: (message) => encode(numbered(JSON.parse(new TextDecoder().decode(message)), '')),
    decode: (bytes) => new TextEncoder().encode(JSON.stringify(named(decodeStrictly(bytes), ''))),
  }
}

function numbered(value: unknown, name: string): unknown {
  if (Array.isArray(value)) return value.map((item) => numbered(item, name))
  if (typeof value === 'object' && value !== null) return numberedMembers(value as Record<string, unknown>)
  return typeof value === 'string' && LOWER_HEX.has(name) ? toBytes(value) : value
}

function numberedMembers(object: Record<string, unknown>): Map<number, unknown> {
  const isDigest = object['hash'] !== 'none'
  const members = Object.entries(object).map(([name, value]): [number, unknown] => {
    const isKey = UPPER_HEX.has(name) && isDigest && typeof value === 'string'
    return [NUMBERS.get(name) as number, isKey ? toBytes(value) : numbered(value, name)]
  })
  return new Map(members)
}

function decodeStrictly(bytes: Uint8Array): unknown {
  try {
    return decode(bytes, STRICT)
  } catch (cause) {
    // An exhausted stack, which deep nesting leads to, is the sender's fault as well.
    throw malformed(`expected CBOR, got: ${textOf(cause)}`, cause)
  }
}

/** The JSON of what was decoded. The core checks everything else about it. */
function named(value: unknown, name: string): unknown {
  if (isBytes(value)) return UPPER_HEX.has(name) ? toHex(value).toUpperCase() : toHex(value)
  if (Array.isArray(value)) return value.map((item) => named(item, name))
  if (value instanceof Map) return namedMembers(value)
  return value
}

function namedMembers(members: ReadonlyMap<unknown, unknown>): Record<string, unknown> {
  const object: Record<string, unknown> = {}
  for (const [number, value] of members) {
    const name = typeof number === 'number' ? NAMES[number] : undefined
    if (name === undefined)
      throw malformed(`expected a member's number below ${NAMES.length}, got ${String(number)}`)
    object[name] = named(value, name)
  }
  return object
}

function malformed(what: string, cause?: unknown): AlvariumError {
  return new AlvariumError('MESSAGE_MALFORMED', `message: ${what}`, { cause })
}
