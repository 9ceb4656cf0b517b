import { describe, expected, textOf } from './errors.js'
import { ignoreRejection } from './time/promises.js'

/**
 * A logger of pino's shape: fields first, then the text. A `pino()` instance fits as it is, and so do
 * bunyan and most wrappers.
 *
 * What a logger throws, or rejects with, stops nothing: a line that it could not write is given to it once more, without
 * its fields, and is lost if it throws again.
 */
export interface Logger {
  /** What only those want who look for a fault: a reconnection that is under way. */
  debug(fields: object, text: string): void
  /** What is well and worth knowing. */
  info(fields: object, text: string): void
  /** What goes on nevertheless: an annotator that failed, a broker that is away. */
  warn(fields: object, text: string): void
  /** What does not. */
  error(fields: object, text: string): void
}

const METHODS = ['debug', 'info', 'warn', 'error'] as const
const nothing = () => {}

/** Says nothing: what the SDK uses when it is given no logger. */
export const silentLogger: Logger = { debug: nothing, info: nothing, warn: nothing, error: nothing }

const guards = new WeakMap<object, Logger>([[silentLogger, silentLogger]])

/**
 * A logger that never throws, around one that may: to be used wherever one is handed in, before its first line. Given a
 * logger that it has made, it answers with that.
 *
 * @throws AlvariumError `CONFIG_INVALID` when one of the four methods is missing: it would be missed with the first error,
 * months later
 */
export function safeLogger(logger: Logger | undefined): Logger {
  if (logger === undefined) return silentLogger
  assertLogger(logger)
  const known = guards.get(logger)
  if (known) return known
  const levels = METHODS.map((level) => [level, guarded(logger, level)])
  const guard: Logger = Object.fromEntries(levels)
  guards.set(logger, guard)
  guards.set(guard, guard)
  return guard
}

/** The methods that a logger should have and this does not. */
function missingIn(value: unknown): string[] {
  return METHODS.filter((level) => typeof Reflect.get(Object(value), level) !== 'function')
}

function assertLogger(logger: Logger): void {
  const missing = missingIn(logger)
  if (missing.length === 0) return
  const got = Object(logger) === logger ? `one without ${missing.join(', ')}` : describe(logger)
  throw expected('CONFIG_INVALID', 'logger', 'debug, info, warn and error', got)
}

function guarded(logger: Logger, level: keyof Logger): Logger['info'] {
  return (fields, text) => {
    try {
      ignoreRejection(logger[level](fields, text))
    } catch (error) {
      // What it choked on is most often in the fields: a cycle, a getter that throws.
      writeWithout(logger, level, { loggerError: textOf(error) }, text)
    }
  }
}

function writeWithout(logger: Logger, level: keyof Logger, fields: object, text: string): void {
  try {
    ignoreRejection(logger[level](fields, text))
  } catch {
    // Nobody is left to tell.
  }
}
