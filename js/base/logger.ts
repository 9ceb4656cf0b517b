/**
 * A logger of pino's shape: fields first, then the text. A `pino()` instance fits as it is, and so do
 * bunyan and most wrappers.
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

const nothing = () => {}

/** Says nothing: what the SDK uses when it is given no logger. */
export const silentLogger: Logger = { debug: nothing, info: nothing, warn: nothing, error: nothing }
