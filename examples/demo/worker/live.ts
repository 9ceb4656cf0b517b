import type { Live } from '../protocol.ts'
import { readings } from './dataset.ts'

/** Number of parallel calls at full speed, enough to hide the delay of the broker's acknowledgements. */
const WINDOW = 128

/** Minimum milliseconds between two groups of readings, so that high rates need few timers. */
const TICK_MS = 20

/** Milliseconds before the next attempt after a refused call, so that retries do not use all CPU time. */
const REFUSED_MS = 100

/** Function that signs one reading. Resolves to true if the message was accepted. Never rejects. */
export type Take = (payload: Uint8Array<ArrayBuffer>) => Promise<boolean>

/** Simulated sensor: signs readings from the data set at a given rate, until it is switched off. */
export class Sensor {
  readonly #take: Take
  #next: (() => Uint8Array<ArrayBuffer>) | undefined
  /** Identity of the current run. A new run has a new object. */
  #run: object | undefined

  constructor(take: Take) {
    this.#take = take
  }

  get isOn(): boolean {
    return this.#run !== undefined
  }

  /** Starts the sensor. @throws Error when the data set cannot be fetched */
  async start({ perSecond }: Live): Promise<void> {
    this.#next ??= await readings()
    const run = {}
    this.#run = run
    if (perSecond === 'full') for (let n = 0; n < WINDOW; n++) this.#flatOut(run, this.#next)
    else this.#paced(run, this.#next, perSecond)
  }

  stop(): void {
    this.#run = undefined
  }

  async #flatOut(run: object, next: () => Uint8Array<ArrayBuffer>): Promise<void> {
    while (this.#run === run) {
      const isTaken = await this.#take(next())
      if (!isTaken) await new Promise((resolve) => setTimeout(resolve, REFUSED_MS))
    }
  }

  #paced(run: object, next: () => Uint8Array<ArrayBuffer>, perSecond: number): void {
    const begin = performance.now()
    let taken = 0
    const tick = () => {
      if (this.#run !== run) return
      const due = Math.floor(((performance.now() - begin) * perSecond) / 1000) + 1
      for (; taken < due; taken++) this.#take(next())
      setTimeout(tick, Math.max(TICK_MS, 1000 / perSecond))
    }
    tick()
  }
}
