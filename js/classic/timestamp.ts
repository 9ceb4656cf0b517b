import { withCore } from '../core/core.js'
import type { Dialect } from './dialect.js'

const PARTS = /^(.{16})(:\d\d)(?:\.(\d+))?(.+)$/

/** An RFC 3339 timestamp as the dialect's SDK would spell the same instant. */
export function spelledTimestamp(timestamp: string, dialect: Dialect): string {
  const { fractionStep, omitsZeroSeconds, utc } = dialect
  const [, minute, seconds, fraction = '', offset] = PARTS.exec(timestamp) ?? []
  const digits = fraction.replace(/0+$/, '')
  const length = Math.ceil(digits.length / fractionStep) * fractionStep
  const point = digits === '' ? '' : `.${digits.padEnd(length, '0')}`
  const isLeftOut = omitsZeroSeconds && seconds === ':00' && point === ''
  return `${minute}${isLeftOut ? '' : seconds}${point}${offset === 'Z' ? utc : offset}`
}

/** A date, a time with nine digits of fraction and an offset have 35. */
const LONGEST = 35

/** Whether it is a timestamp as bundles have them; the dialect may leave the seconds of a full minute out. */
export function isTimestamp(text: string, { omitsZeroSeconds }: Dialect): boolean {
  if (text.length > LONGEST) return false
  const whole = omitsZeroSeconds ? text.replace(/^(.{16})(?=[Z+-])/, '$1:00') : text
  return withCore((core) => core.isTimestamp(whole))
}
