import { type AlvariumError, expected } from '../base/errors.js'
import { isPromiseLike } from '../base/time/promises.js'
import { type Acceptance, acceptanceOf } from '../streams/stream.js'

/** The answers that a stream still owes. Nobody waits for ever for one that never comes. */
export class PendingAnswers {
  readonly #timeoutMs: number | undefined
  readonly #rejects = new Set<(error: AlvariumError) => void>()

  /** @param timeoutMs - how long an answer may take; no limit unless given */
  constructor(timeoutMs?: number) {
    this.#timeoutMs = timeoutMs
  }

  /**
   * What the answer says, see {@link acceptanceOf}, which sees late ones too. Rejects with `STREAM_TIMEOUT` when it is late, or with the
   * error of {@link end} if that comes first.
   */
  to(answer: unknown): Acceptance | undefined | Promise<Acceptance | undefined> {
    if (!isPromiseLike(answer)) return acceptanceOf(answer)
    return new Promise((resolve, reject) => {
      const timer = this.#begin(reject)
      const end = () => {
        clearTimeout(timer)
        this.#rejects.delete(reject)
      }
      Promise.resolve(answer).then(acceptanceOf).then(resolve, reject).then(end)
    })
  }

  /** Ends all waits with this error. */
  end(error: AlvariumError): void {
    for (const reject of this.#rejects) reject(error)
    this.#rejects.clear()
  }

  #begin(reject: (error: AlvariumError) => void): ReturnType<typeof setTimeout> | undefined {
    this.#rejects.add(reject)
    const timeoutMs = this.#timeoutMs
    if (timeoutMs === undefined) return undefined
    return setTimeout(() => {
      this.#rejects.delete(reject)
      reject(tooLate(timeoutMs))
    }, timeoutMs)
  }
}

function tooLate(timeoutMs: number): AlvariumError {
  const got = `no answer within ${timeoutMs} ms`
  return expected('STREAM_TIMEOUT', 'stream.publish', 'the message to be accepted', got)
}
