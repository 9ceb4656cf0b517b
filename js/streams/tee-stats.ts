import type { LatencyStats } from '../base/latency.js'
import type { StreamStats } from './stats.js'
import type { StreamProvider } from './stream.js'

/** Figures of several streams, each of which has every message. */
export function togetherOf(streams: readonly StreamProvider[]): StreamStats {
  const all = streams.flatMap((stream) => stream.stats?.() ?? [])
  const most = of(all, Math.max)
  const sum = of(all, (...numbers) => numbers.reduce((total, one) => total + one, 0))
  const outboxes = all.filter(({ setAside }) => setAside !== undefined)
  return Object.freeze({
    online: all.every(({ online }) => online),
    // A message is at each of them, and has settled when the last of them has it.
    queued: most('queued'),
    waitingForRoom: most('waitingForRoom'),
    oldestMs: most('oldestMs'),
    acknowledged: of(all, Math.min)('acknowledged'),
    bytes: sum('bytes'),
    inFlight: sum('inFlight'),
    resent: sum('resent'),
    timedOut: sum('timedOut'),
    refused: sum('refused'),
    reconnects: sum('reconnects'),
    lastError: all.find(({ lastError }) => lastError !== undefined)?.lastError,
    ...(outboxes.length > 0 && {
      setAside: outboxes.reduce((total, { setAside = 0 }) => total + setAside, 0),
      damaged: outboxes.reduce((total, { damaged = 0 }) => total + damaged, 0),
    }),
    acknowledge: slowest(all.map(({ acknowledge }) => acknowledge)),
  })
}

type Count = {
  [Name in keyof StreamStats]-?: StreamStats[Name] extends number ? Name : never
}[keyof StreamStats]

function of(all: readonly StreamStats[], combine: (...numbers: number[]) => number) {
  return (name: Count) => (all.length === 0 ? 0 : combine(...all.map((one) => one[name])))
}

/** All that were timed; the percentiles are those of the slowest, as a call waits for that one. */
function slowest(all: readonly LatencyStats[]): LatencyStats {
  const most = (name: keyof LatencyStats) => Math.max(0, ...all.map((one) => one[name]))
  const sum = (name: keyof LatencyStats) => all.reduce((total, one) => total + one[name], 0)
  return Object.freeze({
    count: sum('count'),
    sumMs: sum('sumMs'),
    p50Ms: most('p50Ms'),
    p99Ms: most('p99Ms'),
    maxMs: most('maxMs'),
  })
}
