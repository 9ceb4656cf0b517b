import { isQuotable } from './text/text.js'

// Removes possible secrets from errors of the runtime, which quote their input: the file system quotes a path,
// `JSON.parse` the text around a fault, `URL` its argument. The input may be a key in place of a path, or a password.

/** Names of the members in which errors of the runtime quote their input. */
const INPUT_MEMBERS = ['path', 'dest', 'input']

/** Pattern of the quoted text at the end of an error of `JSON.parse` in V8. */
const JSON_SNIPPET = /(^|, )(?:\.\.\.)?".*"(?:\.\.\.)?( is not valid JSON)$/s

/** Returns the text of an error of the runtime or an application, without quoted input that may be a secret. */
export function publicText(error: Error): string {
  const text =
    error.name === 'SyntaxError' ? error.message.replace(JSON_SNIPPET, '$1the text$2') : error.message
  return secretsOf(error).reduce((left, secret) => left.replaceAll(secret, '…'), text)
}

/** Returns an error for use as a cause: unchanged if it contains no possible secret, else a copy without the secret. */
export function publicCause(cause: unknown): unknown {
  if (!(cause instanceof Error)) return cause
  const text = publicText(cause)
  if (text === cause.message && secretsOf(cause).length === 0) return cause
  const { name, stack = '' } = cause
  const { code } = cause as { code?: unknown }
  const frames = stack.split('\n').filter((line) => /^\s+at /.test(line))
  const copy = Object.assign(new Error(text), { name }, code === undefined ? {} : { code })
  copy.stack = [`${name}: ${text}`, ...frames].join('\n')
  return copy
}

function secretsOf(error: Error): string[] {
  const given = INPUT_MEMBERS.map((name) => Reflect.get(error, name))
  return given
    .filter((value) => typeof value === 'string')
    .filter((value) => value !== '' && !isQuotable(value))
}
