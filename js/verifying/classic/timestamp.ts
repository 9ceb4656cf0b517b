import { withCore } from '../../foundation/core/core.js'
import type { Dialect } from './dialect.js'

const PARTS = /^(.{16})(:\d\d)(?:\.(\d+))?(.+)$/

export function formatTimestamp(timestamp: string, dialect: Dialect): string {
  const { fractionStep, omitsZeroSeconds, utc } = dialect
  const [, minute, seconds, fraction = '', offset] = PARTS.exec(timestamp) ?? []
  const digits = fraction.replace(/0+$/, '')
  const length = Math.ceil(digits.length / fractionStep) * fractionStep
  const point = digits === '' ? '' : `.${digits.padEnd(length, '0')}`
  const isLeftOut = omitsZeroSeconds && seconds === ':00' && point === ''
  return `${minute}${isLeftOut ? '' : seconds}${point}${offset === 'Z' ? utc : offset}`
}

/** Maximum number of characters in a timestamp with date, nine fraction digits and offset. */
const MAX_LENGTH = 35

/** Returns whether a text is a valid timestamp. In some dialects, seconds of `00` may be omitted. */
export function isTimestamp(text: string, { omitsZeroSeconds }: Dialect): boolean {
  if (text.length > MAX_LENGTH) return false
  const whole = omitsZeroSeconds ? text.replace(/^(.{16})(?=[Z+-])/, '$1:00') : text
  return withCore((core) => core.isTimestamp(whole))
}
