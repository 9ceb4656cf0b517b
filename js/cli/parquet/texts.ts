import type { LogicalType, SchemaElement, TimeUnit } from 'hyparquet'
import { parseFloat16 } from 'hyparquet/src/convert.js'
import { toHex } from '../../foundation/base/bytes/hex.js'
import { ParquetFault } from './fault.js'

/** Function that formats a value as JSON (FORMAT.md, rows of Parquet). */
export type TextOf = (value: never) => string

export function textOfLeaf(element: SchemaElement): TextOf {
  const logical = logicalOf(element)
  switch (logical?.type) {
    case 'STRING':
    case 'ENUM':
    case 'JSON':
      return (json: string) => json
    case 'DECIMAL':
      return decimalText(element.scale ?? logical.scale)
    case 'DATE':
      return (days: number) => `"${dateTime(days * DAY_SECONDS).slice(0, 10)}"`
    case 'TIME':
      return timeText(logical.unit)
    case 'TIMESTAMP':
      return timestampText(logical.unit, logical.isAdjustedToUTC ? 'Z' : '')
    case 'INTEGER':
      return logical.isSigned ? number : natural
    case 'UUID':
      return (bytes: Uint8Array) => `"${toHex(bytes).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')}"`
    case 'FLOAT16':
      return (bytes: Uint8Array) => number(parseFloat16(bytes) as number)
    default:
      return textOfStored(element.type)
  }
}

function textOfStored(type: SchemaElement['type']): TextOf {
  if (type === 'BOOLEAN') return (value: boolean) => `${value}`
  if (type === 'INT96') return timestampText('NANOS', '')
  return type === 'BYTE_ARRAY' || type === 'FIXED_LEN_BYTE_ARRAY' ? base64 : number
}

/** Removes the logical type of a column, except for text. hyparquet then returns values as stored. */
export function asStored(element: SchemaElement): SchemaElement {
  const { logical_type: _, converted_type: __, ...rest } = element
  return isText(element) ? { ...rest, converted_type: 'UTF8' } : rest
}

function isText(element: SchemaElement): boolean {
  return ['STRING', 'ENUM', 'JSON'].includes(logicalOf(element)?.type ?? '')
}

export function jsonOfUtf8(bytes: Uint8Array): string {
  assertShort(bytes)
  try {
    return JSON.stringify(decoder.decode(bytes))
  } catch {
    throw new ParquetFault('texts in UTF-8', 'other bytes')
  }
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

const utc = (type: 'TIME' | 'TIMESTAMP', unit: TimeUnit): LogicalType => ({
  type,
  unit,
  isAdjustedToUTC: true,
})
const NATURAL: LogicalType = { type: 'INTEGER', bitWidth: 64, isSigned: false }

/**
 * Logical types by converted type. Older files have only a converted type. Converted types that are missing
 * here need no logical type.
 */
const LOGICAL_TYPES: Readonly<Record<string, LogicalType>> = {
  UTF8: { type: 'STRING' },
  ENUM: { type: 'ENUM' },
  JSON: { type: 'JSON' },
  DECIMAL: { type: 'DECIMAL', precision: 0, scale: 0 },
  DATE: { type: 'DATE' },
  TIME_MILLIS: utc('TIME', 'MILLIS'),
  TIME_MICROS: utc('TIME', 'MICROS'),
  TIMESTAMP_MILLIS: utc('TIMESTAMP', 'MILLIS'),
  TIMESTAMP_MICROS: utc('TIMESTAMP', 'MICROS'),
  UINT_8: NATURAL,
  UINT_16: NATURAL,
  UINT_32: NATURAL,
  UINT_64: NATURAL,
}

function logicalOf({ logical_type, converted_type }: SchemaElement): LogicalType | undefined {
  return logical_type ?? LOGICAL_TYPES[converted_type ?? '']
}

/** Formats a number. NaN, an infinity, and a bigint beyond ±(2⁵³ − 1) become a JSON string. */
function number(value: number | bigint): string {
  const isPlain = typeof value === 'bigint' ? value <= SAFE && value >= -SAFE : Number.isFinite(value)
  return isPlain ? String(value) : `"${value}"`
}

const SAFE = BigInt(Number.MAX_SAFE_INTEGER)

function natural(value: number | bigint): string {
  return number(typeof value === 'bigint' ? BigInt.asUintN(64, value) : value >>> 0)
}

/** Maximum scale of a decimal, and its maximum length in bytes. Larger decimals take too long to format. */
const MAX_DIGITS = 1_000

function decimalText(scale: number): TextOf {
  if (!(scale >= 0 && scale <= MAX_DIGITS))
    throw new ParquetFault(`a scale of 0 to ${MAX_DIGITS}`, `${scale}`)
  return (value: number | bigint | Uint8Array) => {
    const unscaled = value instanceof Uint8Array ? integerIn(value) : BigInt(value)
    const digits = String(unscaled < 0n ? -unscaled : unscaled).padStart(scale + 1, '0')
    const point = digits.length - scale
    const fraction = scale === 0 ? '' : `.${digits.slice(point)}`
    return `"${unscaled < 0n ? '-' : ''}${digits.slice(0, point)}${fraction}"`
  }
}

function integerIn(bytes: Uint8Array): bigint {
  if (bytes.length > MAX_DIGITS)
    throw new ParquetFault(`decimals of at most ${MAX_DIGITS} bytes`, 'a longer decimal')
  return BigInt.asIntN(8 * bytes.length, BigInt(`0x${toHex(bytes) || '0'}`))
}

const DAY_SECONDS = 86_400
const DIGITS = { MILLIS: 3, MICROS: 6, NANOS: 9 } as const satisfies Record<TimeUnit, number>

/** Formats seconds since 1970 as `2026-11-20T10:00:00`. Caches the date, because `toISOString` is slow. */
function dateTime(seconds: number): string {
  // Refuse years outside 0001 to 9999, because `toISOString` writes most others with a sign and six digits.
  if (!(seconds >= FIRST && seconds <= LAST))
    throw new ParquetFault('dates of the years 0001 to 9999', `${seconds} seconds from 1970 on`)
  const day = Math.floor(seconds / DAY_SECONDS)
  if (day !== lastDay.number)
    lastDay = { number: day, text: new Date(day * DAY_SECONDS * 1_000).toISOString().slice(0, 11) }
  const time = seconds - day * DAY_SECONDS
  return `${lastDay.text}${two(time / 3_600)}:${two((time / 60) % 60)}:${two(time % 60)}`
}

let lastDay = { number: Number.NaN, text: '' }

function two(value: number): string {
  return String(Math.floor(value)).padStart(2, '0')
}

const FIRST = Date.parse('0001-01-01T00:00:00Z') / 1_000
const LAST = Date.parse('9999-12-31T23:59:59Z') / 1_000

function timestampText(unit: TimeUnit, zone: 'Z' | ''): TextOf {
  const perSecond = 10n ** BigInt(DIGITS[unit])
  return (value: bigint) => {
    const rest = ((value % perSecond) + perSecond) % perSecond
    return `"${dateTime(Number((value - rest) / perSecond))}${fraction(rest, unit)}${zone}"`
  }
}

function timeText(unit: TimeUnit): TextOf {
  const perSecond = 10n ** BigInt(DIGITS[unit])
  return (given: number | bigint) => {
    const value = BigInt(given)
    const seconds = Number(value / perSecond)
    if (value < 0n || seconds >= DAY_SECONDS) throw new ParquetFault('times of one day', `${seconds} seconds`)
    return `"${dateTime(seconds).slice(11)}${fraction(value % perSecond, unit)}"`
  }
}

/** Formats the fraction of a second without trailing zeros, because each writer chooses its own unit. */
function fraction(rest: bigint, unit: TimeUnit): string {
  return rest === 0n ? '' : `.${String(rest).padStart(DIGITS[unit], '0').replace(/0+$/, '')}`
}

function base64(bytes: Uint8Array): string {
  assertShort(bytes)
  const { buffer, byteOffset, length } = bytes
  return `"${Buffer.from(buffer, byteOffset, length).toString('base64')}"`
}

/** Maximum length in bytes of a row, equal to the limit for records of other formats. */
export const MAX_ROW_BYTES = 16 * 1024 * 1024

function assertShort({ length }: Uint8Array): void {
  if (length > MAX_ROW_BYTES) throw new ParquetFault(`values of at most ${MAX_ROW_BYTES} bytes`, `${length}`)
}
