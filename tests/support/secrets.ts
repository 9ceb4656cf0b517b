import { utf8 } from './bytes.js'

/** A token of a server, as `openssl rand -base64 24` writes one. */
export const TOKEN = 'q7ZxV0bNfT2mK9sWcJ4hR8yLpD3gXeU6'
/** A seed, as `openssl rand -hex 32` writes one. */
export const HEX_DIGITS = '9f1c3b7ae04d5826c1f7093eab58d46270e9b1845fd3a60c72be1f8d9403e5a7'
const PASSPHRASE = 'lantern attic violet harbour seven copper kettle'
const ALL = [TOKEN, HEX_DIGITS, PASSPHRASE]

/** The first characters of a secret. A text that quotes the beginning of a value contains them; `JSON.parse` quotes ten. */
const MARKER = new RegExp(ALL.map((secret) => secret.slice(0, 9)).join('|'), 'i')

/** The secrets as texts: alone, with a line end, and in places that a parser may quote. */
export const SECRET_TEXTS: Readonly<Record<string, string>> = {
  'a token with a line end': `${TOKEN}\n`,
  'a token in JSON that ends early': `{"token":"${TOKEN}"`,
  'a token as JSON': `"${TOKEN}"`,
  'a passphrase': PASSPHRASE,
  'a seed in PEM': `-----BEGIN PRIVATE KEY-----\n${HEX_DIGITS}\n-----END PRIVATE KEY-----\n`,
}

export const SECRET_VALUES: Readonly<Record<string, unknown>> = {
  ...SECRET_TEXTS,
  'a token': TOKEN,
  'a seed': HEX_DIGITS,
  'the bytes of a token': utf8(TOKEN),
  'a list of tokens': [TOKEN],
  'an object with a token': { token: TOKEN, toString: () => TOKEN },
}

/** Returns the part of a text that has a secret; undefined if there is none. */
export function secretIn(text: string): string | undefined {
  const at = text.search(MARKER)
  return at < 0 ? undefined : text.slice(Math.max(0, at - 80), at + 40)
}

/**
 * Returns all text that a log or a debugger shows of an error: its message, its stack, its own members and the same
 * of its causes.
 */
export function shownOf(thrown: unknown, depth = 0): string {
  if (typeof thrown !== 'object' || thrown === null || depth > 8) return String(thrown)
  const error = thrown as Error
  const own = Object.entries(error).map(
    ([name, value]) => `${name}=${typeof value === 'object' ? '' : String(value)}`,
  )
  const inside = thrown instanceof AggregateError ? thrown.errors.map((one) => shownOf(one, depth + 1)) : []
  const cause = error.cause === undefined ? '' : shownOf(error.cause, depth + 1)
  return [error.message, error.stack, ...own, ...inside, cause].join('\n')
}
