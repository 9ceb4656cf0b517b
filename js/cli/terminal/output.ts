import { once } from 'node:events'
import { plain, type SafeText, safeText, type TextValue, yellow } from './safe-text.js'

export interface Writable extends NodeJS.WritableStream {
  readonly isTTY?: boolean
  readonly columns?: number
  hasColors?(): boolean
}

/** Control sequence that erases the current line of the terminal. */
const CLEAR = '\r\x1b[K'

export class Output {
  readonly #stream: Writable
  readonly #isColoured: boolean
  /** True if the last line of the terminal is a drawn line, which the next output erases. */
  #isDrawn = false
  #drained: Promise<unknown> | undefined
  readonly #neighbour: Output | undefined

  /** @param neighbour - output to the same terminal, whose progress line is erased before this output writes */
  constructor(stream: Writable, neighbour?: Output) {
    this.#stream = stream
    this.#neighbour = neighbour
    // `hasColors` applies NO_COLOR, FORCE_COLOR and TERM.
    this.#isColoured = stream.isTTY === true && stream.hasColors?.() === true
  }

  get isTerminal(): boolean {
    return this.#stream.isTTY === true
  }

  /** Width of the terminal in columns; 80 if the output is not a terminal. */
  get columns(): number {
    return this.#stream.columns || 80
  }

  line(text: SafeText): Promise<void> {
    return this.write(`${this.#rendered(text)}\n`)
  }

  async lines(rows: Iterable<SafeText>): Promise<void> {
    for (const row of rows) await this.line(row)
  }

  /** Writes a result: as JSON for programs, or in rows for people. */
  show(isJson: boolean | undefined, value: unknown, rows: () => Iterable<SafeText>): Promise<void> {
    return isJson ? this.json(value) : this.lines(rows())
  }

  note(text: TextValue): Promise<void> {
    return this.line(safeText`${yellow('note')}  ${text}`)
  }

  /** Tells why something could not be decided, or was not found. */
  undecided(text: TextValue): Promise<void> {
    return this.line(safeText`${yellow('?')} ${text}`)
  }

  /** Replaces the last drawn line. Call it only for terminals. */
  draw(text: SafeText): void {
    this.#isDrawn = text.text !== ''
    this.#stream.write(`${CLEAR}${this.#rendered(text)}`)
  }

  /** Writes a value as one line of JSON, with control characters escaped. */
  json(value: unknown): Promise<void> {
    return this.write(`${jsonText(value)}\n`)
  }

  /** Writes bytes or text unchanged. Resolves when the stream can accept more. */
  async write(text: string | Uint8Array): Promise<void> {
    this.#erase()
    if (this.#neighbour && this.isTerminal) this.#neighbour.#erase()
    if (this.#stream.write(text)) return
    // Share one listener among concurrent writes.
    this.#drained ??= once(this.#stream, 'drain').finally(() => {
      this.#drained = undefined
    })
    await this.#drained
  }

  #erase(): void {
    const wasDrawn = this.#isDrawn
    this.#isDrawn = false
    if (wasDrawn) this.#stream.write(CLEAR)
  }

  #rendered(text: SafeText): string {
    return this.#isColoured ? text.text : plain(text)
  }
}

/** Encodes a value as JSON. Also escapes characters that JSON permits but terminals interpret. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value).replace(/[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    [...Array(character.length).keys()]
      .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
      .join(''),
  )
}
