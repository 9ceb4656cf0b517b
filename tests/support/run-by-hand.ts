import type { Random } from '../attack/random.mjs'
import { afterOf, bundleBy, checkpointBy, type LoggedMessage, type Party } from './by-hand.js'

const at = (ms: number) => new Date(ms).toISOString().replace('Z', '000Z')
const hex = (random: Random) => Array.from({ length: 32 }, () => random.below(16).toString(16)).join('')

export interface RunByHand {
  readonly run: string
  readonly log: readonly LoggedMessage[]
  readonly notes: readonly Uint8Array[]
}

/**
 * Signs a run from a time on: a message in each second, and a checkpoint after each few. Its stream refuses some messages, and has others pending.
 *
 * @param before - the run before, which most runs name
 * @param hasPeaks - checkpoints that a lease can prove
 */
export function runByHand(
  random: Random,
  party: Party,
  begin: number,
  before?: RunByHand,
  run: string = hex(random),
  hasPeaks = false,
): RunByHand {
  const log: LoggedMessage[] = []
  const notes: Uint8Array[] = []
  const after = before && random.below(4) > 0 ? afterOf(before.run, before.log) : undefined
  const pending = new Set<number>()
  let [first, from, time] = [0, begin, begin]
  const count = 2 + random.below(6)
  for (let number = 0; number <= count; number++) {
    const isLast = number === count
    const many = number === 0 ? 0 : random.below(5)
    for (let one = 0; one < many; one++) {
      time += 1_000
      if (random.below(6) === 0) pending.add(log.length)
      log.push(bundleBy(party, { payload: `${run} ${log.length}`, timestamp: at(time) }))
    }
    time += 1_000
    // Each pending message is refused, accepted, or still pending.
    const refused = [...pending].filter(() => random.below(3) === 0)
    for (const one of refused) pending.delete(one)
    for (const one of [...pending]) if (random.below(3) === 0) pending.delete(one)
    const ranges = (positions: Iterable<number>) => spelt([...positions].sort((a, b) => a - b))
    notes.push(
      checkpointBy(party, {
        run,
        number,
        log: [...log],
        first,
        from: at(from),
        at: at(time),
        ...(!hasPeaks && { peaks: false as const }),
        ...(after !== undefined && { after }),
        ...(pending.size > 0 && { pending: ranges(pending) }),
        ...(refused.length > 0 && { refused: ranges(refused) }),
        ...(isLast && { end: true }),
      }),
    )
    first = log.length
    from = time
  }
  return { run, log, notes }
}

function spelt(positions: readonly number[]): string {
  const ranges: number[][] = []
  for (const one of positions) {
    const last = ranges.at(-1)
    if (last && last[1] === one - 1) last[1] = one
    else ranges.push([one, one])
  }
  return ranges.map(([a, b]) => (a === b ? `${a}` : `${a}-${b}`)).join(' ')
}
