import { verifyTurns } from '../base/turns.js'

/** Takes step after step, so that timers and sockets get their turn in between. Resolves with what they come to. */
export async function inTurns<T>(steps: Iterator<unknown, T>): Promise<T> {
  for (;;) {
    await verifyTurns.takeLong()
    const { done, value } = steps.next()
    if (done) return value
  }
}
