import type { Dialect } from './dialect.js'

const PARTS = /^(.{19})(?:\.(\d+))?(.+)$/

/** An RFC 3339 timestamp as the dialect's SDK would spell the same instant. */
export function spelledTimestamp(timestamp: string, { fractionStep, utc }: Dialect): string {
  const [, seconds, fraction = '', offset] = PARTS.exec(timestamp) ?? []
  const digits = fraction.replace(/0+$/, '')
  const length = Math.ceil(digits.length / fractionStep) * fractionStep
  const point = digits === '' ? '' : `.${digits.padEnd(length, '0')}`
  return `${seconds}${point}${offset === 'Z' ? utc : offset}`
}
