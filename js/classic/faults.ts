import { describe } from '../base/errors.js'
import { quoted } from '../base/text/text.js'

/** Enough of a hostile text to recognise it. */
const MOST_SHOWN = 60

/** A value out of a message, fit for an error. */
export function shown(value: unknown): string {
  if (typeof value !== 'string') return typeof value === 'boolean' ? String(value) : describe(value)
  return quoted(value, MOST_SHOWN)
}
