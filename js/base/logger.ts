/**
 * A logger of pino's shape: fields first, then the text. A `pino()` instance fits as it is, and so do
 * bunyan and most wrappers.
 */
export interface Logger {
  debug(fields: object, text: string): void
  info(fields: object, text: string): void
  warn(fields: object, text: string): void
  error(fields: object, text: string): void
}

const nothing = () => {}

/** Says nothing: what the SDK uses when it is given no logger. */
export const silentLogger: Logger = { debug: nothing, info: nothing, warn: nothing, error: nothing }
