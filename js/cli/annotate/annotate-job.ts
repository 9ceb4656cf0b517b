import { keyOf, type PayloadSource, type Receipt, type Sdk } from 'alvarium-sdk'
import { openAsSource } from 'alvarium-sdk/sources/node'
import { type FileFound, filesIn, Unreadable } from '../input/files.js'
import { type Cut, formOf, payloadsOf } from '../input/payloads.js'
import { countBytes, fileSource, type InputSource, MAX_IN_MEMORY, sourceOf } from '../input/source.js'
import type { Session } from '../session.js'
import { beginProgress } from '../terminal/progress.js'
import { safeText, yellow } from '../terminal/safe-text.js'
import { Figures } from './figures.js'
import { FileCourse, type FileProgress, type Journal } from './journal.js'
import type { AnnotateOptions } from './options.js'
import type { MadeFrom, Originals } from './originals.js'
import type { OwnFiles } from './own-files.js'
import { CallWindow } from './window.js'

/** Milliseconds without a change after which a file counts as complete. Until then, its writer may be active. */
const SETTLED_MS = 1_000

export interface AnnotateParts {
  readonly sdk: Sdk
  readonly journal: Journal
  readonly ownFiles: OwnFiles
  readonly originals?: Originals | undefined
  /** True if an annotator reads the payload's bytes. */
  readonly needsPayload: boolean
}

export class AnnotateJob {
  readonly #parts: AnnotateParts
  readonly #skipped = new Set<string>()
  /** True if every source could be read. */
  isWhole = true
  readonly #options: AnnotateOptions
  readonly #session: Session
  readonly #endProgress: () => void
  readonly #figures = new Figures()
  /** Calls in progress, of all files together, so that payloads of several small files can share a batch. */
  readonly #window: CallWindow<Receipt>

  constructor(parts: AnnotateParts, options: AnnotateOptions, session: Session) {
    this.#parts = parts
    this.#options = options
    this.#window = new CallWindow(options.batch)
    this.#session = session
    this.#endProgress = beginProgress(session, () => this.#figures.progressText())
  }

  async annotateAll(sources: readonly string[]): Promise<void> {
    const paths = sources.filter((source) => source !== '-')
    await this.#parts.ownFiles.refresh()
    // Skip the total in watch mode: the final size of the folder is unknown.
    if (!this.#options.watch) await this.#measure(paths)
    if (sources.includes('-')) await this.#standardInput()
    for await (const file of filesIn(paths)) {
      if (this.#session.interrupted.aborted) break
      await this.#annotateOrSkip(file).catch((error) => this.#reportUnreadable(error))
    }
    await this.#window.drain()
  }

  async #measure(paths: readonly string[]): Promise<void> {
    for await (const file of filesIn(paths))
      if (!(file instanceof Unreadable)) this.#figures.bytes.all += file.bytes
  }

  async #annotateOrSkip(file: FileFound | Unreadable): Promise<void> {
    if (file instanceof Unreadable) throw file
    const reason = await this.#parts.ownFiles.describe(file)
    if (reason === undefined) await this.#annotateFile(file)
    else await this.#skip(file.path, reason)
  }

  /** Reports an unreadable file and continues with the next file. Rethrows any other error. */
  async #reportUnreadable(error: unknown): Promise<void> {
    if (!(error instanceof Unreadable)) throw error
    this.isWhole = false
    await this.#skip(error.path, `expected ${error.expected}, got ${error.got}`)
  }

  async #skip(path: string, reason: string): Promise<void> {
    if (this.#skipped.has(path)) return
    this.#skipped.add(path)
    await this.#session.err.line(safeText`${yellow('skipped')}  ${path}: ${reason}`)
  }

  async end(isDone: boolean): Promise<void> {
    // Ignore an error of a pending call, because the caller reports the error that ended the run.
    await this.#window.drain().catch(() => {})
    this.#endProgress()
    const isWhole = isDone && !this.#session.interrupted.aborted
    await this.#session.err.line(this.#figures.endText(isWhole, this.#parts.journal.earlier))
    await this.#parts.journal.write()
  }

  async #standardInput(): Promise<void> {
    const reason = this.#parts.ownFiles.piped
    if (reason === undefined) await this.#annotatePiped(sourceOf('-', this.#session.input))
    else await this.#skip('standard input', reason)
  }

  async #annotatePiped(source: InputSource): Promise<void> {
    for await (const payload of payloadsOf(source, this.#cut(source))) {
      if (this.#session.interrupted.aborted) break
      await this.#call(payload)
    }
    await this.#window.drain()
    if (!this.#session.interrupted.aborted) await this.#parts.originals?.end()
  }

  async #annotateFile(file: FileFound): Promise<void> {
    const known = this.#parts.journal.of(file.path)
    if (known?.bytes === file.bytes && known.modifiedMs === file.modifiedMs) return
    const cut = this.#cut(this.#source(file.path))
    const isAlive = this.#options.watch === true && Date.now() - file.modifiedMs < SETTLED_MS
    if (isAlive && !cut.isGrowing) return
    if (this.#isLong(file, cut)) return this.#annotateLong(file, known)
    if (!(await this.#annotateFrom(file, cut, known))) await this.#annotateFrom(file, cut, undefined)
  }

  /** Returns whether a file is one payload over 16 MiB that has no original and whose bytes no annotator needs. */
  #isLong({ bytes }: FileFound, { format }: Cut): boolean {
    return format === 'whole' && bytes > MAX_IN_MEMORY && !this.#parts.originals && !this.#parts.needsPayload
  }

  async #annotateLong(
    { path, bytes, modifiedMs }: FileFound,
    known: FileProgress | undefined,
  ): Promise<void> {
    const course = new FileCourse(known)
    const { interrupted: signal } = this.#session
    const { bytes: counted } = this.#figures
    const before = counted.read
    const onProgress = (progress: { readonly bytes: number }) => {
      counted.read = before + progress.bytes
    }
    const source = await openAsSource(path)
    try {
      const isDone = known !== undefined && (await keyOf(source, known.hash, { signal })) === known.lastKey
      if (!isDone) {
        course.begin()
        course.add(await this.#annotate(source, undefined, { signal, onProgress }))
        this.#figures.payloads++
      }
    } catch (error) {
      if (signal.aborted) return
      throw error
    }
    course.end({ bytes, modifiedMs })
    this.#parts.journal.follow(path, course)
  }

  /**
   * Annotates the payloads of a file after the position that an earlier run reached.
   *
   * @returns false if the part before that position has changed
   */
  async #annotateFrom(file: FileFound, cut: Cut, known: FileProgress | undefined): Promise<boolean> {
    const { path, bytes, modifiedMs } = file
    const course = new FileCourse(known)
    this.#parts.journal.follow(path, course)
    let number = 0
    for await (const payload of payloadsOf(this.#counted(path), cut)) {
      if (this.#session.interrupted.aborted) return true
      number++
      if (known && number === known.payloads && keyOf(payload, known.hash) !== known.lastKey) return false
      if (known && number <= known.payloads) continue
      await this.#call(payload, course)
      if (this.#parts.journal.isDue) await this.#parts.journal.write()
    }
    if (this.#session.interrupted.aborted) return true
    if (known && number < known.payloads) return false
    course.end({ bytes, modifiedMs })
    return true
  }

  /** Starts to annotate a payload, and waits while the window of calls is full. */
  async #call(payload: Uint8Array, course?: FileCourse): Promise<void> {
    const original = await this.#parts.originals?.next()
    course?.begin()
    await this.#window.add(this.#annotate(payload, original), payload.length, (receipt) => {
      this.#figures.payloads++
      course?.add(receipt)
    })
  }

  #annotate(
    payload: Uint8Array | PayloadSource,
    original: MadeFrom | undefined,
    context?: Parameters<Sdk['create']>[1],
  ): Promise<Receipt> {
    // Keep both branches, because TypeScript resolves a different overload in each.
    if (original instanceof Uint8Array) return this.#parts.sdk.mutate(original, payload)
    if (original) return this.#parts.sdk.mutate(original, payload)
    // Exclude `mutate`, because `originalsFor` rejects that action without an original.
    const action = this.#options.action as Exclude<AnnotateOptions['action'], 'mutate'>
    return this.#parts.sdk[action](payload, context)
  }

  #cut(source: InputSource): Cut {
    const { watch = false } = this.#options
    const form = formOf(source, this.#options)
    const { format } = form
    const isGrowing = watch && source.name !== 'stdin' && (format === 'lines' || format === 'csv')
    return { ...form, isGrowing }
  }

  #source(path: string): InputSource {
    return fileSource(path, this.#session.interrupted)
  }

  #counted(path: string): InputSource {
    return countBytes(this.#source(path), (bytes) => {
      this.#figures.bytes.read += bytes
    })
  }
}
