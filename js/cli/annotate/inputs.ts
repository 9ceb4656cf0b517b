import { type HashName, keyOf, type MutateInput } from 'alvarium-sdk'
import { openAsSource } from 'alvarium-sdk/sources/node'
import { invalid } from '../fault.js'
import { textIn } from '../input/text.js'

/** Reads the lines of `--inputs` once, because the file may be a FIFO. */
export async function inputLines(path: string | undefined): Promise<string[] | undefined> {
  if (path === undefined) return undefined
  const lines = (await textIn('--inputs', path)).split(/\r?\n/).filter((line) => line.trim() !== '')
  if (lines.length > 0) return lines
  throw invalid('--inputs', 'a file, a payload key or a set on each line', `nothing in ${path}`)
}

export function filesAmong(lines: readonly string[]): string[] {
  return lines.filter((line) => nameIn(line) === undefined)
}

/**
 * Returns the inputs in the order of their lines. For a line with a path, returns the payload key of that file.
 *
 * @param hash - algorithm for the payload keys of files
 */
export async function inputsIn(
  lines: readonly string[],
  hash: HashName,
  signal: AbortSignal,
): Promise<MutateInput[]> {
  const inputs: MutateInput[] = []
  for (const line of lines)
    inputs.push(nameIn(line) ?? { hash, key: await keyOf(await openAsSource(line), hash, { signal }) })
  return inputs
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
