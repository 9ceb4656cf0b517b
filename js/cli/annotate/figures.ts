import { green, type SafeText, safeText, yellow } from '../terminal/safe-text.js'
import { bar, count, countOf, duration } from '../terminal/words.js'

export class Figures {
  payloads = 0
  /** Bytes of the input files: read so far, and in total (0 if unknown). */
  readonly bytes = { read: 0, all: 0 }
  readonly #since = performance.now()

  get #seconds(): number {
    return (performance.now() - this.#since) / 1000
  }

  /** Returns the progress line: payloads per second, and the remaining time if the total size is known. */
  progressText(): SafeText {
    const seconds = this.#seconds
    const { read, all } = this.bytes
    const share = all > 0 ? Math.min(1, read / all) : 0
    const left = share > 0 && share < 1 ? `, ${duration((seconds * (1 - share)) / share)} left` : ''
    const percent = all > 0 ? `${bar(share)}  ` : ''
    return safeText`${percent}${countOf(this.payloads, 'payload')} annotated, ${count(this.payloads / seconds)} a second${left}`
  }

  /**
   * Returns the summary line.
   *
   * @param isWhole - whether the run has processed all sources
   * @param earlier - number of payloads that earlier runs annotated
   */
  endText(isWhole: boolean, earlier: number): SafeText {
    const seconds = this.#seconds
    const mark = isWhole ? green('✓') : yellow('stopped after')
    const before = earlier > 0 ? `, ${count(earlier)} in earlier runs (--resume)` : ''
    const rate = `${duration(seconds)}, ${count(this.payloads / seconds)} a second${before}`
    return safeText`${mark} ${countOf(this.payloads, 'payload')} annotated in ${rate}`
  }
}
