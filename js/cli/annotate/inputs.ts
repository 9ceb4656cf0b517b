import { type HashName, keyOf, type MutateInput } from 'alvarium-sdk'
import { openAsSource } from 'alvarium-sdk/sources/node'
import { invalid } from '../fault.js'
import { textIn } from '../input/text.js'

/** Lines of a list for `--inputs`, each of which names an input. */
export class ListedInputs {
  readonly #path: string
  readonly #lines: readonly string[]

  private constructor(path: string, lines: readonly string[]) {
    this.#path = path
    this.#lines = lines
  }

  /** Reads the list once, because it may be a FIFO. @throws AlvariumError `CONFIG_INVALID` if it cannot be read, or is empty */
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
   * Names the inputs, in the order of the list. A file is one payload.
   *
   * @param hash - the hash by which files are named
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

/** Reads the payload or set that a line names; undefined if it is the path of a file. */
function nameIn(line: string): MutateInput | undefined {
  const [, set] = /^set\s+(\S+)\s*$/.exec(line) ?? []
  if (set !== undefined) return { set }
  if (!/^[\da-f]+\s*$/i.test(line)) return undefined
  const key = line.trim().toUpperCase()
  if (key.length === 64) return { hash: 'sha256', key }
  return key.length === 32 ? { hash: 'md5', key } : undefined
}
