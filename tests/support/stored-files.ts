import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** LevelDB's largest file with this end to its name: `log` is what was written last, `ldb` a table. */
export function largest(store: string, end: 'log' | 'ldb'): string {
  const names = readdirSync(store).filter((name) => name.endsWith(`.${end}`))
  const paths = names.map((name) => join(store, name))
  const [path = 'none'] = paths.sort((one, other) => statSync(other).size - statSync(one).size)
  return path
}

/** One bit falls over in what begins with a text. */
export function flipBitAt(path: string, text: string): void {
  const bytes = readFileSync(path)
  const at = bytes.indexOf(text)
  if (at < 0) throw new Error(`no "${text}" in ${path}`)
  bytes[at] = (bytes[at] ?? 0) ^ 1
  writeFileSync(path, bytes)
}
