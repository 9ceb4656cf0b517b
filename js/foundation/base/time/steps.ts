import { verifyTurns } from './turns.js'

/** Runs all steps without a pause. */
export function atOnce<T>(steps: Iterator<unknown, T>): T {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

/** Runs steps one by one, and yields to timers and sockets between them. Resolves with their result. */
export async function inTurns<T>(steps: Iterator<unknown, T>, turns = verifyTurns): Promise<T> {
  for (;;) {
    const turn = turns.takeLong()
    if (turn) await turn
    const { done, value } = steps.next()
    if (done) return value
  }
}
