import { green, type Shown, shown, yellow } from '../terminal/shown.js'
import { bar, count, counted, duration } from '../terminal/words.js'

/** How much was annotated, and how the command says so. */
export class Figures {
  payloads = 0
  /** Of files: what was read, and what there is to read; 0 if nobody knows. */
  readonly bytes = { read: 0, all: 0 }
  readonly #since = performance.now()

  get #seconds(): number {
    return (performance.now() - this.#since) / 1000
  }

  /** While it goes on. */
  soFar(): Shown {
    const seconds = this.#seconds
    const { read, all } = this.bytes
    const share = all > 0 ? Math.min(1, read / all) : 0
    const left = share > 0 && share < 1 ? `, ${duration((seconds * (1 - share)) / share)} left` : ''
    const percent = all > 0 ? `${bar(share)}  ` : ''
    return shown`${percent}${counted(this.payloads, 'payload')} annotated, ${count(this.payloads / seconds)} a second${left}`
  }

  /** @param isWhole - whether nothing has ended it before its end @param earlier - payloads of earlier runs */
  atEnd(isWhole: boolean, earlier: number): Shown {
    const seconds = this.#seconds
    const mark = isWhole ? green('✓') : yellow('stopped after')
    const before = earlier > 0 ? `, ${count(earlier)} in earlier runs (--resume)` : ''
    const rate = `${duration(seconds)}, ${count(this.payloads / seconds)} a second${before}`
    return shown`${mark} ${counted(this.payloads, 'payload')} annotated in ${rate}`
  }
}
