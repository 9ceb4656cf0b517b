import { once } from 'node:events'
import { plain, type SafeText } from './safe-text.js'

/** Members of a stream that {@link Output} uses. */
export interface Writable extends NodeJS.WritableStream {
  readonly isTTY?: boolean
  readonly columns?: number
  hasColors?(): boolean
}

/** Control sequence that clears the line of the cursor. */
const CLEAR = '\r\x1b[K'

/** Output of a command to a terminal, a pipe or a file. */
export class Output {
  readonly #stream: Writable
  readonly #isColoured: boolean
  /** True while the last line of the terminal was drawn: the next text replaces it. */
  #isDrawn = false
  #drained: Promise<unknown> | undefined
  readonly #neighbour: Output | undefined

  /** @param neighbour - output to the same terminal: a line drawn there is erased before this one writes */
  constructor(stream: Writable, neighbour?: Output) {
    this.#stream = stream
    this.#neighbour = neighbour
    // Node applies its own rules: NO_COLOR, FORCE_COLOR, TERM.
    this.#isColoured = stream.isTTY === true && stream.hasColors?.() === true
  }

  get isTerminal(): boolean {
    return this.#stream.isTTY === true
  }

  /** Number of columns of the terminal; 80 for other outputs. */
  get columns(): number {
    return this.#stream.columns || 80
  }

  /** Writes a line for people. */
  line(text: SafeText): Promise<void> {
    return this.write(`${this.#rendered(text)}\n`)
  }

  /** Draws a line in place of the last drawn one. Only terminals can show it. */
  draw(text: SafeText): void {
    this.#isDrawn = text.text !== ''
    this.#stream.write(`${CLEAR}${this.#rendered(text)}`)
  }

  /** Writes a line of JSON for programs, with characters escaped that a terminal would act on. */
  json(value: unknown): Promise<void> {
    return this.write(`${jsonText(value)}\n`)
  }

  /** Writes bytes or text unchanged, and resolves when the reader has room for more. */
  async write(text: string | Uint8Array): Promise<void> {
    this.#erase()
    if (this.#neighbour && this.isTerminal) this.#neighbour.#erase()
    if (this.#stream.write(text)) return
    // Concurrent writers share the listener.
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

/** Encodes a value as JSON. JSON escapes only characters below a space; terminals act on more. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value).replace(/[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    [...Array(character.length).keys()]
      .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
      .join(''),
  )
}
