import { basename, dirname, resolve } from 'node:path'
import { type ArtifactHash, readText } from './file.js'

interface Entry {
  readonly digest: string
  /** Absent where a file has nothing but a digest. */
  readonly name?: string
}

/** Many files' worth. */
const LONGEST = 16 * 1024 * 1024
const DIGITS: Readonly<Record<ArtifactHash, number>> = { sha256: 64, sha384: 96, sha512: 128, md5: 32 }

/** `<digits>`, as sha256sum has it, and as `sha256sum --tag` and BSD's tools do. */
const BARE = /^([0-9a-f]+)$/i
const GNU = /^(\\?)([0-9a-f]+) [ *](.+)$/i
const BSD = /^(\\?)[\w-]+ ?\((.+)\) = ([0-9a-f]+)$/i

/**
 * The checksum that a file has for an artifact: alone, in the forms in which `sha256sum` and its like write and take it, in
 * either case. Where it has several, the artifact's is found by its path, seen from that file's folder, or else by its name.
 *
 * @returns lower-case hexadecimal
 * @throws Error when there is none, or not just one
 */
export async function checksumIn(path: string, artifact: string, hash: ArtifactHash): Promise<string> {
  const text = await readText(path, LONGEST)
  const entries = text
    .split(/\r?\n/)
    .flatMap((line) => (line.trim() === '' ? [] : [entryOf(line.trim(), path)]))
  const candidates = entries.length > 1 ? entriesFor(artifact, path, entries) : entries
  const digests = [...new Set(candidates.map(({ digest }) => digest))]
  const [digest = ''] = digests
  if (digests.length === 1 && digest.length === DIGITS[hash]) return digest
  const got = digests.length === 1 ? `one of ${digest.length} digits` : String(digests.length)
  throw new Error(`${path}: expected one ${hash} checksum for ${artifact}, got ${got}`)
}

function entryOf(line: string, path: string): Entry {
  const [, digits] = BARE.exec(line) ?? []
  if (digits !== undefined) return { digest: digits.toLowerCase() }
  const [, gnuEscape, gnuDigits, gnuName] = GNU.exec(line) ?? []
  const [, bsdEscape, bsdName, bsdDigits] = BSD.exec(line) ?? []
  const digest = gnuDigits ?? bsdDigits
  const name = gnuName ?? bsdName
  if (digest === undefined || name === undefined) {
    throw new Error(
      `${path}: expected lines as sha256sum writes them, got ${JSON.stringify(line.slice(0, 100))}`,
    )
  }
  const isEscaped = (gnuEscape ?? bsdEscape) === '\\'
  return { digest: digest.toLowerCase(), name: isEscaped ? unescaped(name) : name }
}

function entriesFor(artifact: string, path: string, entries: readonly Entry[]): readonly Entry[] {
  const here = dirname(resolve(path))
  const exact = entries.filter(({ name }) => name !== undefined && resolve(here, name) === resolve(artifact))
  if (exact.length > 0) return exact
  return entries.filter(({ name }) => name !== undefined && basename(name) === basename(artifact))
}

const UNESCAPED: Readonly<Record<string, string>> = { '\\\\': '\\', '\\n': '\n', '\\r': '\r' }

function unescaped(name: string): string {
  return name.replace(/\\[\\nr]/g, (pair) => UNESCAPED[pair] ?? pair)
}
