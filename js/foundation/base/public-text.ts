import { isQuotable } from './text/text.js'

// Errors of the runtime quote their input: the file system quotes a path, `JSON.parse` the text around a
// fault, `URL` its argument. A key that is passed in place of a path, or a password in JSON, must not reach a
// log that way.

/** Members in which errors of the runtime have their input. */
const INPUT_MEMBERS = ['path', 'dest', 'input']

/** Text around a fault, at the end of an error of `JSON.parse` in V8. */
const JSON_SNIPPET = /(^|, )(?:\.\.\.)?".*"(?:\.\.\.)?( is not valid JSON)$/s

/**
 * Returns the text of an error of the runtime or of an application, without quoted input that may be a
 * secret.
 */
export function publicText(error: Error): string {
  const text =
    error.name === 'SyntaxError' ? error.message.replace(JSON_SNIPPET, '$1the text$2') : error.message
  return secretsOf(error).reduce((left, secret) => left.replaceAll(secret, '…'), text)
}

/** Returns an error as the cause of another: unchanged, or as a copy without a possible secret. */
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
