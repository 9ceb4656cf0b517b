import { type Lane, type MeasuredCell, type Race, type RaceSettings, SLICE_MS } from '../../race.ts'
import type { Contestant } from './contestant.ts'
import { type OpenCell, openCell, openKit } from './open.ts'
import { slice } from './slice.ts'

/** Minimum warm-up of each contestant in milliseconds, over all cells, so that its code is optimized. */
const WARM_UP_MS = 200

interface Runner {
  readonly contestant: Contestant
  readonly lane: Mutable<Lane>
}

type Mutable<T> = { -readonly [Name in keyof T]: T[Name] }

/**
 * Race in progress. Each round measures a short slice of each contestant in each cell, starting with a
 * different contestant, so that a disturbance of the machine affects all of them.
 */
export class Running {
  readonly #settings: RaceSettings
  readonly #changed: () => void
  #cells: readonly MeasuredCell[] = []
  #phase: Race['phase'] = 'preparing'
  #rounds = 0
  #done = 0
  #isStopped = false

  constructor(settings: RaceSettings, changed: () => void) {
    this.#settings = settings
    this.#changed = changed
  }

  get state(): Race {
    const settings = this.#settings
    // Count the warm-up as a round.
    const progress = this.#done / (settings.cells.length * (settings.rounds + 1))
    return { phase: this.#phase, settings, rounds: this.#rounds, progress, cells: this.#cells }
  }

  stop(): void {
    this.#isStopped = true
  }

  /** Runs the race. @returns the race at its end; rejects when a contestant's output does not verify */
  async run(): Promise<Race> {
    this.#changed()
    const open = await this.#open()
    try {
      await this.#goThrough(open)
      this.#phase = this.#isStopped ? 'stopped' : 'finished'
    } finally {
      for (const { contestant } of open.flatMap(({ lanes }) => lanes)) await contestant?.close?.()
      this.#changed()
    }
    return this.state
  }

  async #open(): Promise<OpenCell[]> {
    const kit = await openKit()
    const open: OpenCell[] = []
    for (const cell of this.#settings.cells) open.push(await openCell(cell, kit))
    this.#cells = open.map(({ cell, lanes }) => ({ ...cell, lanes: lanes.map(({ lane }) => lane) }))
    return open
  }

  async #goThrough(open: readonly OpenCell[]): Promise<void> {
    const cells = open.map(({ lanes }) => lanes.flatMap(runnerOf))
    const warmUpMs = Math.max(SLICE_MS, WARM_UP_MS / cells.length)
    await this.#round(cells, 0, (runner) => slice(runner.contestant, warmUpMs))
    this.#phase = 'running'
    for (let round = 1; round <= this.#settings.rounds && !this.#isStopped; round++) {
      await this.#round(cells, round, measure)
      if (!this.#isStopped) this.#rounds = round
    }
  }

  async #round(
    cells: readonly (readonly Runner[])[],
    round: number,
    take: (runner: Runner) => Promise<unknown>,
  ): Promise<void> {
    for (const runners of cells) {
      for (const runner of rotated(runners, round)) {
        if (this.#isStopped) return
        await take(runner)
        await turn()
      }
      this.#done++
      this.#changed()
    }
  }
}

function runnerOf({ lane, contestant }: OpenCell['lanes'][number]): Runner[] {
  return contestant ? [{ contestant, lane }] : []
}

async function measure({ contestant, lane }: Runner): Promise<void> {
  lane.samples = [...lane.samples, await slice(contestant, SLICE_MS)]
}

/** Lets the worker receive messages from the page, such as a request to stop. */
function turn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve))
}

function rotated<T>(list: readonly T[], by: number): T[] {
  const start = by % Math.max(list.length, 1)
  return [...list.slice(start), ...list.slice(0, start)]
}
