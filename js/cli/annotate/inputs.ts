import { type HashName, keyOf, type MutateInput } from 'alvarium-sdk'
import { openAsSource } from 'alvarium-sdk/sources/node'
import { invalid } from '../fault.js'
import { textIn } from '../input/text.js'

/** List of inputs from the file given with `--inputs`, one input per line. */
export class ListedInputs {
  readonly #path: string
  readonly #lines: readonly string[]

  private constructor(path: string, lines: readonly string[]) {
    this.#path = path
    this.#lines = lines
  }

  /**
   * Reads the list once, because it may be a FIFO.
   *
   * @throws AlvariumError `FILE_UNREADABLE` if it is unreadable; `CONFIG_INVALID` if it is empty
   */
  static async in(path: string | undefined): Promise<ListedInputs | undefined> {
    if (path === undefined) return undefined
    const lines = (await textIn('--inputs', path)).split(/\r?\n/).filter((line) => line.trim() !== '')
    if (lines.length > 0) return new ListedInputs(path, lines)
    throw invalid('--inputs', 'a file, a payload key or a set on each line', `nothing in ${path}`)
  }

  get files(): string[] {
    return this.#lines.filter((line) => nameIn(line) === undefined)
  }

  /**
   * Returns the inputs in the order of their lines in the `--inputs` file. For a line with a path, returns the
   * payload key of that file.
   *
   * @param hash - algorithm for the payload keys of files
   * @throws AlvariumError `PAYLOAD_INVALID` naming a file that cannot be read
   */
  async names(hash: HashName, signal: AbortSignal): Promise<MutateInput[]> {
    const names: MutateInput[] = []
    for (const line of this.#lines)
      names.push(nameIn(line) ?? { hash, key: await keyOf(await openAsSource(line), hash, { signal }) })
    return names
  }

  get path(): string {
    return this.#path
  }
}

/** Parses a line as a payload key, or as `set` and a set id; returns undefined if the line is the path of a file. */
function nameIn(line: string): MutateInput | undefined {
  const [, set] = /^set\s+(\S+)\s*$/.exec(line) ?? []
  if (set !== undefined) return { set }
  if (!/^[\da-f]+\s*$/i.test(line)) return undefined
  const key = line.trim().toUpperCase()
  if (key.length === 64) return { hash: 'sha256', key }
  return key.length === 32 ? { hash: 'md5', key } : undefined
}
