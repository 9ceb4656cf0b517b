import type { Attributes, BatchObservableResult, Meter, Observable } from '@opentelemetry/api'
import type { LatencyStats } from '../../foundation/base/time/latency.js'
import type { StreamStats } from '../../transport/streams/stats.js'
import type { SdkStats } from '../config/stats.js'

/** One number of `sdk.stats()` as a metric. */
type Figure<Stats> = readonly [name: string, unit: string, description: string, of: (stats: Stats) => number]

interface Figures {
  readonly ofSdk: readonly Figure<SdkStats>[]
  readonly ofStream: readonly Figure<StreamStats>[]
}

/** Figures that only increase. */
const COUNTERS: Figures = {
  ofSdk: [
    ['alvarium.sdk.accepted', '{message}', 'Messages that the stream has accepted', (all) => all.accepted],
    ['alvarium.sdk.failed', '{message}', 'Messages that the stream has not accepted', (all) => all.failed],
  ],
  ofStream: [
    ['alvarium.stream.acknowledged', '{message}', 'Messages the broker has taken', (all) => all.acknowledged],
    ['alvarium.stream.resent', '{packet}', 'Packets that were sent once more', (all) => all.resent],
    ['alvarium.stream.timed_out', '{message}', 'Messages whose time was up', (all) => all.timedOut],
    ['alvarium.stream.refused', '{message}', 'Messages that the broker has refused', (all) => all.refused],
    ['alvarium.stream.reconnects', '{connection}', 'Times the connection came back', (all) => all.reconnects],
  ],
}

/** Figures of the current state. */
const GAUGES: Figures = {
  ofSdk: [['alvarium.sdk.asking', '{call}', 'Calls that wait for their annotators', (all) => all.asking]],
  ofStream: [
    ['alvarium.stream.online', '1', 'Whether there is a connection: 0 or 1', (all) => Number(all.online)],
    ['alvarium.stream.queued', '{message}', 'Messages that have not settled', (all) => all.queued],
    ['alvarium.stream.waiting', '{message}', 'Those that wait for room', (all) => all.waitingForRoom],
    ['alvarium.stream.in_flight', '{packet}', 'Packets without acknowledgement', (all) => all.inFlight],
    ['alvarium.stream.size', 'By', 'Bytes that wait for the broker', (all) => all.bytes],
    ['alvarium.stream.age', 's', 'How long the oldest message has waited', (all) => all.oldestMs / 1000],
  ],
}

/** Latencies by metric name. Each is reported as a count, a sum, and the quantiles 0.5, 0.99 and 1. */
const LATENCIES = [
  ['alvarium.sdk.seal', 'hashing and signing a message', ({ seal }: SdkStats) => seal],
  ['alvarium.sdk.accept', 'the stream accepting a message', ({ accept }: SdkStats) => accept],
  ['alvarium.stream.acknowledge', 'the broker acknowledging', ({ stream }: SdkStats) => stream?.acknowledge],
] as const

const QUANTILES = [
  ['0.5', ({ p50Ms }: LatencyStats) => p50Ms],
  ['0.99', ({ p99Ms }: LatencyStats) => p99Ms],
  ['1', ({ maxMs }: LatencyStats) => maxMs],
] as const

type Observe = (result: BatchObservableResult, stats: SdkStats) => void
type MakeInstrument = (name: string, unit: string, description: string) => Observable

/**
 * Registers the SDK's statistics as metrics of a meter, which reads them on each collection. Returns a
 * function that ends the registration after one more collection, so that the last values of a closed SDK show
 * its stream as offline.
 *
 * OpenTelemetry has no asynchronous histograms, so latencies are reported as counts, sums and quantiles.
 */
export function registerFigures(meter: Meter, stats: () => SdkStats, attributes: Attributes): () => void {
  const instruments: Observable[] = []
  const remember = (instrument: Observable) => {
    instruments.push(instrument)
    return instrument
  }
  const counter: MakeInstrument = (name, unit, description) =>
    remember(meter.createObservableCounter(name, { unit, description }))
  const gauge: MakeInstrument = (name, unit, description) =>
    remember(meter.createObservableGauge(name, { unit, description }))
  const observers = [
    ...figuresOf(COUNTERS, counter, attributes),
    ...figuresOf(GAUGES, gauge, attributes),
    ...latenciesOf(counter, gauge, attributes),
  ]
  let isOver = false
  const observe = (result: BatchObservableResult) => {
    const now = stats()
    for (const observer of observers) observer(result, now)
    // Remove the callback later, because the meter iterates over its callbacks now.
    if (isOver) queueMicrotask(() => meter.removeBatchObservableCallback(observe, instruments))
  }
  meter.addBatchObservableCallback(observe, instruments)
  return () => {
    isOver = true
  }
}

function figuresOf({ ofSdk, ofStream }: Figures, make: MakeInstrument, attributes: Attributes): Observe[] {
  const sdkFigures = ofSdk.map(([name, unit, description, of]): Observe => {
    const instrument = make(name, unit, description)
    return (result, stats) => result.observe(instrument, of(stats), attributes)
  })
  const streamFigures = ofStream.map(([name, unit, description, of]): Observe => {
    const instrument = make(name, unit, description)
    return (result, { stream }) => stream && result.observe(instrument, of(stream), attributes)
  })
  return [...sdkFigures, ...streamFigures]
}

function latenciesOf(counter: MakeInstrument, gauge: MakeInstrument, attributes: Attributes): Observe[] {
  return LATENCIES.map(([name, description, of]): Observe => {
    const count = counter(`${name}.count`, '1', `Times: ${description}`)
    const sum = counter(`${name}.time`, 's', `In all: ${description}`)
    const quantile = gauge(`${name}.duration`, 's', `At most: ${description}`)
    return (result, stats) => {
      const latency = of(stats)
      if (!latency) return
      result.observe(count, latency.count, attributes)
      result.observe(sum, latency.sumMs / 1000, attributes)
      for (const [share, ms] of QUANTILES) {
        result.observe(quantile, ms(latency) / 1000, { ...attributes, quantile: share })
      }
    }
  })
}
