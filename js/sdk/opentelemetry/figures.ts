import type { Attributes, BatchObservableResult, Meter, Observable } from '@opentelemetry/api'
import type { LatencyStats } from '../../foundation/base/time/latency.js'
import type { StreamStats } from '../../transport/streams/stats.js'
import type { SdkStats } from '../config/stats.js'

/** One number of `sdk.stats()`: a counter that only increases, or a gauge of the current value. */
interface Figure<Stats> {
  readonly name: string
  readonly unit: string
  readonly says: string
  readonly isCounter: boolean
  of(stats: Stats): number
}

type FigureRow<Stats> = readonly [name: string, unit: string, says: string, of: (stats: Stats) => number]

const counters = <Stats>(rows: readonly FigureRow<Stats>[]): Figure<Stats>[] =>
  rows.map(([name, unit, says, of]) => ({ name, unit, says, of, isCounter: true }))
const gauges = <Stats>(rows: readonly FigureRow<Stats>[]): Figure<Stats>[] =>
  rows.map(([name, unit, says, of]) => ({ name, unit, says, of, isCounter: false }))

const OF_SDK: readonly Figure<SdkStats>[] = [
  ...counters<SdkStats>([
    ['alvarium.sdk.accepted', '{message}', 'Messages that the stream has accepted', (all) => all.accepted],
    ['alvarium.sdk.failed', '{message}', 'Messages that the stream has not accepted', (all) => all.failed],
  ]),
  ...gauges<SdkStats>([
    ['alvarium.sdk.asking', '{call}', 'Calls that wait for their annotators', (all) => all.asking],
  ]),
]

const OF_STREAM: readonly Figure<StreamStats>[] = [
  ...counters<StreamStats>([
    ['alvarium.stream.acknowledged', '{message}', 'Messages the broker has taken', (all) => all.acknowledged],
    ['alvarium.stream.resent', '{packet}', 'Packets that were sent once more', (all) => all.resent],
    ['alvarium.stream.timed_out', '{message}', 'Messages whose time was up', (all) => all.timedOut],
    ['alvarium.stream.refused', '{message}', 'Messages that the broker has refused', (all) => all.refused],
    ['alvarium.stream.reconnects', '{connection}', 'Times the connection came back', (all) => all.reconnects],
  ]),
  ...gauges<StreamStats>([
    ['alvarium.stream.online', '1', 'Whether there is a connection: 0 or 1', (all) => Number(all.online)],
    ['alvarium.stream.queued', '{message}', 'Messages that have not settled', (all) => all.queued],
    ['alvarium.stream.waiting', '{message}', 'Those that wait for room', (all) => all.waitingForRoom],
    ['alvarium.stream.in_flight', '{packet}', 'Packets without acknowledgement', (all) => all.inFlight],
    ['alvarium.stream.size', 'By', 'Bytes that wait for the broker', (all) => all.bytes],
    ['alvarium.stream.age', 's', 'How long the oldest message has waited', (all) => all.oldestMs / 1000],
  ]),
]

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

/**
 * Registers the SDK's statistics as metrics of a meter, which reads them on each collection. Returns a
 * function that ends the registration after one more collection. The last values of a closed SDK then show
 * its stream as offline.
 *
 * OpenTelemetry has no asynchronous histograms, so latencies are reported as counts, sums and quantiles.
 */
export function registerFigures(meter: Meter, stats: () => SdkStats, attributes: Attributes): () => void {
  const instruments: Observable[] = []
  const making = (figure: Pick<Figure<unknown>, 'name' | 'unit' | 'says' | 'isCounter'>) => {
    const options = { unit: figure.unit, description: figure.says }
    const instrument = figure.isCounter
      ? meter.createObservableCounter(figure.name, options)
      : meter.createObservableGauge(figure.name, options)
    instruments.push(instrument)
    return instrument
  }
  const observers = [...figuresOf(making, attributes), ...latenciesOf(making, attributes)]
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

type MakeInstrument = (figure: Pick<Figure<unknown>, 'name' | 'unit' | 'says' | 'isCounter'>) => Observable

function figuresOf(making: MakeInstrument, attributes: Attributes): Observe[] {
  const ofSdk = OF_SDK.map((figure): Observe => {
    const instrument = making(figure)
    return (result, stats) => result.observe(instrument, figure.of(stats), attributes)
  })
  const ofStream = OF_STREAM.map((figure): Observe => {
    const instrument = making(figure)
    return (result, { stream }) => stream && result.observe(instrument, figure.of(stream), attributes)
  })
  return [...ofSdk, ...ofStream]
}

function latenciesOf(making: MakeInstrument, attributes: Attributes): Observe[] {
  return LATENCIES.map(([name, description, of]): Observe => {
    const count = making({ name: `${name}.count`, unit: '1', says: `Times: ${description}`, isCounter: true })
    const sum = making({ name: `${name}.time`, unit: 's', says: `In all: ${description}`, isCounter: true })
    const quantile = making({
      name: `${name}.duration`,
      unit: 's',
      says: `At most: ${description}`,
      isCounter: false,
    })
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
