import { once } from 'node:events'
import { plain, type Shown } from './shown.js'

/** What of a stream is used: Node's own have more. */
export interface Writable extends NodeJS.WritableStream {
  readonly isTTY?: boolean
  readonly columns?: number
  hasColors?(): boolean
}

/** Clears the line of the cursor. */
const CLEAR = '\r\x1b[K'

/** Where a command writes: a terminal, a pipe or a file. */
export class Output {
  readonly #stream: Writable
  readonly #isColoured: boolean
  /** True while the last line of the terminal was drawn: the next text takes its place. */
  #isDrawn = false
  #drained: Promise<unknown> | undefined
  readonly #neighbour: Output | undefined

  /** @param neighbour - what writes to the same terminal: a line that was drawn there is erased before this writes */
  constructor(stream: Writable, neighbour?: Output) {
    this.#stream = stream
    this.#neighbour = neighbour
    // Node's own rules: NO_COLOR, FORCE_COLOR, TERM.
    this.#isColoured = stream.isTTY === true && stream.hasColors?.() === true
  }

  /** Whether somebody looks at it while it is written. */
  get isTerminal(): boolean {
    return this.#stream.isTTY === true
  }

  /** The columns of the terminal; 80 where there is none. */
  get columns(): number {
    return this.#stream.columns || 80
  }

  /** A line for people. */
  line(text: Shown): Promise<void> {
    return this.write(`${this.#rendered(text)}\n`)
  }

  /** A line in place of the last one that was drawn: for terminals alone. */
  draw(text: Shown): void {
    this.#isDrawn = text.text !== ''
    this.#stream.write(`${CLEAR}${this.#rendered(text)}`)
  }

  /** A line of JSON for programs; what a terminal would act on is escaped there too, as JSON has it. */
  json(value: unknown): Promise<void> {
    return this.write(`${jsonText(value)}\n`)
  }

  /** Bytes or text as they are, when whoever reads has room for them. */
  async write(text: string | Uint8Array): Promise<void> {
    this.#erase()
    if (this.#neighbour && this.isTerminal) this.#neighbour.#erase()
    if (this.#stream.write(text)) return
    // Whoever waits meanwhile waits for the same.
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

  #rendered(text: Shown): string {
    return this.#isColoured ? text.text : plain(text)
  }
}

/** JSON escapes what is below a space; terminals act on more than that. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value).replace(/[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    [...Array(character.length).keys()]
      .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
      .join(''),
  )
}
