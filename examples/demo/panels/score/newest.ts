/** Lists and summaries of a history of scores. */
import { nameOf, type PayloadName } from 'alvarium-sdk/score'

interface Scored extends PayloadName {
  readonly at: number
  readonly score: number
}

/** Returns the newest entry of each payload, newest first, up to a limit. */
export function newestOf<T extends Scored>(history: readonly T[], most: number): T[] {
  const found = new Map<string, T>()
  for (let n = history.length - 1; n >= 0 && found.size < most; n--) {
    const entry = history[n]
    if (entry && !found.has(nameOf(entry))) found.set(nameOf(entry), entry)
  }
  return [...found.values()]
}

/** Returns, for each entry, the mean of the last `span` scores. */
export function runningMean(history: readonly Scored[], span: number): number[] {
  let sum = 0
  return history.map(({ score }, n) => {
    sum += score - (history[n - span]?.score ?? 0)
    return sum / Math.min(n + 1, span)
  })
}

export function summaryOf(history: readonly Scored[]) {
  const all = history.map(({ score }) => score)
  return {
    lowest: Math.min(...all),
    mean: all.reduce((sum, score) => sum + score, 0) / all.length,
    newest: all.at(-1) ?? 0,
  }
}
