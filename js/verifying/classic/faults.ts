import { describe } from '../../foundation/base/errors.js'
import { quote } from '../../foundation/base/text/text.js'

export function show(value: unknown): string {
  if (typeof value !== 'string') return typeof value === 'boolean' ? String(value) : describe(value)
  return quote(value)
}
