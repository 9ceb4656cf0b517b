import { AlvariumError, describe, expected, isError, textOf } from './errors.js'
import { ignoreRejection } from './time/promises.js'

/**
 * A logger with the interface of pino: fields first, then the text. `pino()`, bunyan and most wrappers fit unchanged.
 *
 * An `AlvariumError` is logged with the texts and stacks of its causes. Each cause appears once, even with a logger
 * such as pino that adds the causes itself.
 *
 * A logger that throws or rejects does not stop the SDK. If it throws, it is called once more, without the fields. If
 * it throws again, the line is lost.
 */
export interface Logger {
  /** Logs details for finding a fault, for example that a reconnection is in progress. */
  debug(fields: object, text: string): void
  /** Logs a normal event that is worth knowing. */
  info(fields: object, text: string): void
  /** Logs a fault that does not stop the work: an annotator that failed, a broker that cannot be reached. */
  warn(fields: object, text: string): void
  /** Logs a fault that ends a call, a loop or a stream. */
  error(fields: object, text: string): void
}

const METHODS = ['debug', 'info', 'warn', 'error'] as const
const nothing = () => {}

export const silentLogger: Logger = { debug: nothing, info: nothing, warn: nothing, error: nothing }

const guards = new WeakMap<object, Logger>([[silentLogger, silentLogger]])

/**
 * Wraps a logger so that it never throws. Each logger of an application is wrapped before its first use. Returns a
 * wrapped logger unchanged.
 *
 * @throws AlvariumError `CONFIG_INVALID` when one of the four methods is missing. Otherwise, a missing `error` would be
 * noticed only with the first error, perhaps months later
 */
export function safeLogger(logger: Logger | undefined): Logger {
  if (logger === undefined) return silentLogger
  assertLogger(logger)
  const known = guards.get(logger)
  if (known) return known
  const levels = METHODS.map((level) => [level, guardMethod(logger, level)])
  const guard: Logger = Object.fromEntries(levels)
  guards.set(logger, guard)
  guards.set(guard, guard)
  return guard
}

function missingIn(value: unknown): string[] {
  return METHODS.filter((level) => typeof Reflect.get(Object(value), level) !== 'function')
}

function assertLogger(logger: Logger): void {
  const missing = missingIn(logger)
  if (missing.length === 0) return
  const got = Object(logger) === logger ? `a logger without ${missing.join(', ')}` : describe(logger)
  throw expected('CONFIG_INVALID', 'logger', 'the methods debug, info, warn and error', got)
}

function guardMethod(logger: Logger, level: keyof Logger): Logger['info'] {
  return (fields, text) => {
    try {
      ignoreRejection(logger[level](showCausesOnce(fields), text))
    } catch (error) {
      // The likely cause is in the fields: a cycle, or a getter that throws.
      writeWithoutFields(logger, level, { loggerError: textOf(error) }, text)
    }
  }
}

/** Returns the fields of a log line, with an `AlvariumError` in `err` changed as in {@link causesOnce}. */
function showCausesOnce(fields: object): object {
  const err: unknown = Reflect.get(fields, 'err')
  return err instanceof AlvariumError ? { ...fields, err: causesOnce(err) } : fields
}

/**
 * Copies an error without the causes that its text already contains, and appends the stacks of these causes to the
 * error's stack. pino appends the texts of all causes to the text of an error, and would show these texts twice.
 */
function causesOnce(error: AlvariumError): AlvariumError {
  const { cause, code, message } = error
  if (!isError(cause) || !message.includes(textOf(cause))) return error
  const below = cause instanceof AlvariumError ? causesOnce(cause) : cause
  const once = new AlvariumError(code, message, 'cause' in below ? { cause: below.cause } : {})
  const stack = `${error.stack}\ncaused by: ${below.stack}`
  return Object.assign(once, error, { stack })
}

function writeWithoutFields(logger: Logger, level: keyof Logger, fields: object, text: string): void {
  try {
    ignoreRejection(logger[level](fields, text))
  } catch {
    // Ignore the error: only the logger that failed could report it.
  }
}
