import { describe } from '../base/errors.js'
import { quote } from '../base/text/text.js'

/** A value out of a message, fit for an error. */
export function shown(value: unknown): string {
  if (typeof value !== 'string') return typeof value === 'boolean' ? String(value) : describe(value)
  return quote(value)
}
