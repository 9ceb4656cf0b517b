import { verifyTurns } from './turns.js'

/** Takes all steps at once. */
export function atOnce<T>(steps: Iterator<unknown, T>): T {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

/** The same one by one: timers and sockets get their turn between them. Resolves with what they come to. */
export async function inTurns<T>(steps: Iterator<unknown, T>, turns = verifyTurns): Promise<T> {
  for (;;) {
    const turn = turns.takeLong()
    if (turn) await turn
    const { done, value } = steps.next()
    if (done) return value
  }
}
