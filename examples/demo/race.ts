/** Types that the page and the racer share: contestants, cells and measurements. */

/** Design that a contestant follows. */
export type Style = 'original' | 'once' | 'sdk'

/** Contestants in the order of the charts. */
export const CONTESTANTS = [
  {
    id: 'each-webcrypto',
    style: 'original',
    name: 'Original style, WebCrypto',
    short: 'original, WebCrypto',
  },
  { id: 'each-noble', style: 'original', name: 'Original style, @noble', short: 'original, @noble' },
  { id: 'once-webcrypto', style: 'once', name: 'Once per call, WebCrypto', short: 'once, WebCrypto' },
  {
    id: 'once-webcrypto-together',
    style: 'once',
    name: 'Once per call, WebCrypto, 32 calls at once',
    short: 'once, WebCrypto, 32 at once',
  },
  { id: 'once-noble', style: 'once', name: 'Once per call, @noble', short: 'once, @noble' },
  { id: 'sdk', style: 'sdk', name: 'alvarium-sdk, one call after another', short: 'alvarium-sdk' },
  {
    id: 'sdk-together',
    style: 'sdk',
    name: 'alvarium-sdk, 32 calls at once',
    short: 'alvarium-sdk, 32 at once',
  },
  {
    id: 'sdk-batch',
    style: 'sdk',
    name: 'alvarium-sdk, batches of 256',
    short: 'alvarium-sdk, batches',
  },
] as const satisfies readonly {
  readonly id: string
  readonly style: Style
  readonly name: string
  readonly short: string
}[]

export type ContestantId = (typeof CONTESTANTS)[number]['id']

/** Number of parallel calls of contestants that make parallel calls. */
export const AT_ONCE = 32
/** Number of calls in a batch, for contestants that batch their calls. */
export const BATCH = 256
/** Minimum milliseconds of a measurement. Browsers' clocks have steps of 5 µs to 1 ms. */
export const SLICE_MS = 25

export interface Cell {
  readonly annotators: number
  readonly payloadBytes: number
}

/** Settings of a race. Each round measures each contestant in each cell. */
export interface RaceSettings {
  readonly cells: readonly Cell[]
  readonly rounds: number
}

export interface Sample {
  readonly calls: number
  readonly ms: number
}

/** Results of a contestant in a cell. */
export interface Lane {
  readonly id: ContestantId
  /** Reason why the contestant cannot run in this browser. */
  readonly absent?: string
  /** Number of signatures and annotations that were verified before the measurement. */
  readonly verified?: { readonly signatures: number; readonly annotations: number }
  /** Samples, one per round. */
  readonly samples: readonly Sample[]
}

export interface MeasuredCell extends Cell {
  readonly lanes: readonly Lane[]
}

export interface Race {
  /** Phase of the race. In `preparing`, contestants are loaded, verified and warmed up. */
  readonly phase: 'preparing' | 'running' | 'finished' | 'stopped'
  readonly settings: RaceSettings
  /** Number of complete rounds. */
  readonly rounds: number
  /** Progress from 0 to 1. */
  readonly progress: number
  readonly cells: readonly MeasuredCell[]
}

export interface Surroundings {
  readonly userAgent: string
  readonly cores: number
  /** Smallest observed step of the clock in milliseconds. */
  readonly clockStepMs: number
  readonly isCrossOriginIsolated: boolean
  readonly versions: Readonly<Record<string, string>>
}
