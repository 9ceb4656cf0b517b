import { keyOf, type Receipt, type Sdk } from 'alvarium-sdk'
import { type FileFound, filesIn } from '../input/files.js'
import { fileSource, type Source, sourceOf } from '../input/source.js'
import type { Session } from '../session.js'
import { ProgressLine } from '../terminal/progress.js'
import { green, type Shown, shown, yellow } from '../terminal/shown.js'
import { count, counted, duration } from '../terminal/words.js'
import { Course, type Journal, type Progress } from './journal.js'
import type { AnnotateOptions } from './options.js'
import { type Cut, formatOf, payloadsOf } from './payloads.js'
import { Window } from './window.js'

/** Somebody may still be writing to a file that changed so lately. */
const SETTLED_MS = 1_000

/** Annotates what is in some sources, and keeps count. */
export class Annotating {
  readonly #sdk: Sdk
  readonly #journal: Journal
  readonly #options: AnnotateOptions
  readonly #session: Session
  readonly #progress: ProgressLine
  readonly #since = performance.now()
  #payloads = 0
  #bytes = { read: 0, all: 0 }

  constructor(sdk: Sdk, journal: Journal, options: AnnotateOptions, session: Session) {
    this.#sdk = sdk
    this.#journal = journal
    this.#options = options
    this.#session = session
    this.#progress = new ProgressLine(session, () => this.#line())
    this.#progress.begin()
  }

  /** Each of them to its end, or until it is stopped. */
  async all(sources: readonly string[]): Promise<void> {
    const paths = sources.filter((source) => source !== '-')
    // Of what is watched nobody knows how much it will be.
    if (!this.#options.watch) for await (const { bytes } of filesIn(paths)) this.#bytes.all += bytes
    if (sources.includes('-')) await this.#piped(sourceOf('-', this.#session.input))
    for await (const file of filesIn(paths)) {
      if (this.#session.interrupted.aborted) return
      await this.#file(file)
    }
  }

  /** Says how far it came, whatever has ended it. */
  async end(): Promise<void> {
    this.#progress.end()
    await this.#journal.write()
    const seconds = (performance.now() - this.#since) / 1000
    const isStopped = this.#session.interrupted.aborted
    const mark = isStopped ? yellow('stopped after') : green('✓')
    const rate = `${duration(seconds)}, ${count(this.#payloads / seconds)} a second`
    await this.#session.err.line(shown`${mark} ${counted(this.#payloads, 'payload')} annotated in ${rate}`)
  }

  async #piped(source: Source): Promise<void> {
    const window = this.#window(() => {})
    for await (const payload of payloadsOf(source, this.#cut(source))) {
      if (this.#session.interrupted.aborted) break
      await window.add(this.#annotate(payload))
    }
    await window.drain()
  }

  async #file(file: FileFound): Promise<void> {
    const known = this.#journal.of(file.path)
    if (known?.bytes === file.bytes && known.modifiedMs === file.modifiedMs) return
    const cut = this.#cut(fileSource(file.path))
    const isAlive = this.#options.watch === true && Date.now() - file.modifiedMs < SETTLED_MS
    if (isAlive && !cut.isGrowing) return
    if (!(await this.#from(file, cut, known))) await this.#from(file, cut, undefined)
  }

  /** @returns whether the file goes on where it was left; otherwise it is another one now */
  async #from(file: FileFound, cut: Cut, known: Progress | undefined): Promise<boolean> {
    const { path, bytes, modifiedMs } = file
    const course = new Course(known)
    const window = this.#window((receipt) => course.add(receipt))
    let number = 0
    for await (const payload of payloadsOf(this.#counted(path), cut)) {
      if (this.#session.interrupted.aborted) break
      number++
      if (known && number === known.payloads && keyOf(payload, known.hash) !== known.lastKey) return false
      if (known && number <= known.payloads) continue
      await window.add(this.#annotate(payload))
      if (this.#journal.isDue) {
        this.#journal.note(path, course.progress)
        await this.#journal.write()
      }
    }
    await window.drain()
    const isWhole = !this.#session.interrupted.aborted
    if (isWhole && number < course.progress.payloads) return false
    this.#journal.note(path, { ...course.progress, ...(isWhole && { bytes, modifiedMs }) })
    return true
  }

  #annotate(payload: Uint8Array): Promise<Receipt> {
    return this.#sdk[this.#options.action](payload)
  }

  #window(done: (receipt: Receipt) => void): Window<Receipt> {
    const counted = (receipt: Receipt) => {
      this.#payloads++
      done(receipt)
    }
    return new Window(counted, this.#options.batch)
  }

  #cut(source: Source): Cut {
    const { format = formatOf(source), chunkBytes, watch = false } = this.#options
    const isGrowing = watch && source.name !== 'stdin' && (format === 'lines' || format === 'csv')
    return { format, chunkBytes, isGrowing }
  }

  /** The file, with what is read of it counted. */
  #counted(path: string): Source {
    const { name, bytes } = fileSource(path)
    const read = this.#bytes
    return {
      name,
      async *bytes() {
        for await (const piece of bytes()) {
          read.read += piece.length
          yield piece
        }
      },
    }
  }

  #line(): Shown {
    const seconds = (performance.now() - this.#since) / 1000
    const { read, all } = this.#bytes
    const share = all > 0 ? Math.min(1, read / all) : 0
    const left = share > 0 && share < 1 ? `, ${duration((seconds * (1 - share)) / share)} left` : ''
    const percent = all > 0 ? `${Math.floor(100 * share)} %  ` : ''
    return shown`${percent}${counted(this.#payloads, 'payload')} annotated, ${count(this.#payloads / seconds)} a second${left}`
  }
}
