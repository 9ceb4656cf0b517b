/** The race's words: who runs, over what, and what was measured. The page and the racer share them. */

/** How a contestant works. */
export type Style = 'original' | 'once' | 'sdk'

/** Everybody who may run, in the order in which they are shown. */
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

/** Calls that are made at once, by those who make them so. */
export const AT_ONCE = 32
/** Calls in a batch. */
export const BATCH = 256
/** A contestant runs at least so long at a time: clocks in browsers count in steps of 5 µs to 1 ms. */
export const SLICE_MS = 25

/** One setting of the experiment. */
export interface Cell {
  readonly annotators: number
  readonly payloadBytes: number
}

/** What is to be run: every round goes through every cell, and in each through every contestant. */
export interface RaceSettings {
  readonly cells: readonly Cell[]
  readonly rounds: number
}

/** So many calls took so long. */
export interface Sample {
  readonly calls: number
  readonly ms: number
}

/** A contestant in a cell. */
export interface Lane {
  readonly id: ContestantId
  /** Why it does not run here. */
  readonly absent?: string
  /** Signatures and annotations that were checked before it was timed. */
  readonly verified?: { readonly signatures: number; readonly annotations: number }
  /** One per round. */
  readonly samples: readonly Sample[]
}

export interface MeasuredCell extends Cell {
  readonly lanes: readonly Lane[]
}

/** A race as far as it has come. */
export interface Race {
  /** `preparing`: contestants are loaded, verified and warmed up. */
  readonly phase: 'preparing' | 'running' | 'finished' | 'stopped'
  readonly settings: RaceSettings
  /** Complete ones. */
  readonly rounds: number
  /** From 0 to 1. */
  readonly progress: number
  readonly cells: readonly MeasuredCell[]
}

/** Where and with what it was run. */
export interface Surroundings {
  readonly userAgent: string
  readonly cores: number
  /** The smallest step of the clock that could be seen, in milliseconds. */
  readonly clockStepMs: number
  readonly isCrossOriginIsolated: boolean
  readonly versions: Readonly<Record<string, string>>
}
