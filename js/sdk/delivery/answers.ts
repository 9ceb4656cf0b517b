import { type AlvariumError, expected } from '../../foundation/base/errors.js'
import { isPromiseLike } from '../../foundation/base/time/promises.js'
import { type Acceptance, acceptanceOf } from '../../transport/streams/stream.js'

/** Answers of a stream to published messages that are still awaited, each with a timeout. */
export class PendingAnswers {
  readonly #timeoutMs: number | undefined
  readonly #rejects = new Set<(error: AlvariumError) => void>()

  /** @param timeoutMs - milliseconds for an answer. Default: no limit */
  constructor(timeoutMs?: number) {
    this.#timeoutMs = timeoutMs
  }

  /**
   * Returns the {@link Acceptance} that a stream answers, or undefined for any other answer. Rejects with
   * `STREAM_TIMEOUT` when the answer is late, or earlier with the error of {@link end}.
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
