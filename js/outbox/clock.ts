/**
 * Tells how old messages are. While the process runs its clock only goes forward, whatever happens to the machine's; from
 * one process to the next there is only the machine's, and what seems to come from the future counts as new.
 */
export class Clock {
  readonly #wall = Date.now()
  readonly #start = performance.now()

  /** Milliseconds since 1970, as if the machine's clock had not been changed since the start. */
  now(): number {
    return this.#wall + performance.now() - this.#start
  }

  /** When a message of an earlier process was stored: not after this one started. */
  past(storedAt: number): number {
    return Math.min(storedAt, this.#wall)
  }
}
