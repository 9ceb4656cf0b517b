import { type AlvariumError, describe, expected } from '../base/errors.js'

/** Enough of a hostile text to recognise it. */
const MOST_SHOWN = 60

/** A message, or an annotation in it, that is not as the SDKs write it. */
export function malformed(field: string, what: string, got: string): AlvariumError {
  return expected('MESSAGE_MALFORMED', field, what, got)
}

/** A value out of a message, fit for an error. */
export function shown(value: unknown): string {
  if (typeof value !== 'string') return typeof value === 'boolean' ? String(value) : describe(value)
  return JSON.stringify(value.length > MOST_SHOWN ? `${value.slice(0, MOST_SHOWN)}…` : value)
}
