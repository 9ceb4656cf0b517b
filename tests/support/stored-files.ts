import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Lists the record files of an outbox, the oldest first. */
export function recordFiles(store: string): string[] {
  const names = readdirSync(store).filter((name) => /^records-\d+$/.test(name))
  return names
    .sort((one, other) => Number(one.slice(8)) - Number(other.slice(8)))
    .map((name) => join(store, name))
}

export function largest(store: string): string {
  const [path = 'none'] = recordFiles(store).sort((one, other) => statSync(other).size - statSync(one).size)
  return path
}

/** Flips one bit in the record that begins with a text. */
export function flipBitAt(path: string, text: string): void {
  const bytes = readFileSync(path)
  const at = bytes.indexOf(text)
  if (at < 0) throw new Error(`no "${text}" in ${path}`)
  bytes[at] = (bytes[at] ?? 0) ^ 1
  writeFileSync(path, bytes)
}
