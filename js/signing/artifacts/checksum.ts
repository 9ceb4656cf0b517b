import { basename, dirname, resolve } from 'node:path'
import { readOptions, strict } from '../../foundation/base/options/schema.js'
import { quote } from '../../foundation/base/text/text.js'
import { sourceTurns } from '../../foundation/base/time/turns.js'
import type { Annotator } from '../annotators/annotator.js'
import { type ArtifactHash, artifactHash, choosePath, digestOfFile, pathOption, readText } from './file.js'

/** Paths of the file to check, and of the file with the checksum. */
export interface ChecksumInput {
  readonly artifactPath?: string | undefined
  readonly checksumPath?: string | undefined
}

/** Options of `checksum`: the hash algorithm, and default paths for calls without paths. */
export interface ChecksumOptions extends ChecksumInput {
  /** Hash algorithm. Default `sha256`. */
  readonly hash?: ArtifactHash | undefined
}

const schema = strict({ hash: artifactHash, artifactPath: pathOption, checksumPath: pathOption })

/**
 * Creates the annotator `checksum`: a file has the checksum that another file states. The checksum file
 * contains hexadecimal digits in either case, or the lines of `sha256sum`, with or without `--tag`, for any
 * number of files and algorithms. A line with a file name applies only to a file of that name. The artifact
 * is read in pieces: set `annotatorTimeoutMs` of `openSdk` long enough for reading it.
 *
 * A checksum in the same folder as the artifact detects accidents, but not an attacker, who can write both files.
 *
 * @throws AlvariumError `CONFIG_INVALID` naming the invalid option
 *
 * @example
 * ```ts
 * const sdk = await openSdk({ signingKey, annotators: [checksum()], stream })
 * await sdk.create(payload, { checksum: { artifactPath: 'app.tar.gz', checksumPath: 'SHA256SUMS' } })
 * ```
 */
export function checksum(options: ChecksumOptions = {}): Annotator<'checksum', ChecksumInput> {
  const { hash, ...paths } = readOptions(schema, options, 'checksum')
  return {
    kind: 'checksum',
    isSatisfied: async ({ input, signal }) => {
      const artifact = choosePath('checksum.artifactPath', input?.artifactPath, paths.artifactPath)
      const checksumPath = choosePath('checksum.checksumPath', input?.checksumPath, paths.checksumPath)
      const expected = await checksumIn(checksumPath, artifact, hash)
      return (await digestOfFile(artifact, hash, signal)) === expected
    },
  }
}

interface ChecksumLine {
  readonly digest: string
  readonly algorithm?: string | undefined
  /** File name. Undefined if the line has only a digest. */
  readonly name?: string
}

const MAX_FILE_BYTES = 16 * 1024 * 1024
const MAX_LINES = 500_000
const DIGITS: Readonly<Record<ArtifactHash, number>> = { sha256: 64, sha384: 96, sha512: 128, md5: 32 }

/**
 * Patterns of lines: a digest alone, the format of `sha256sum`, and the format of `sha256sum --tag` and of BSD. File
 * names may begin and end with spaces.
 */
const BARE = /^([0-9a-f]+)\s*$/i
const GNU = /^(\\?)([0-9a-f]+) [ *](.+)$/i
const BSD = /^(\\?)([\w-]+) ?\((.+)\) = ([0-9a-f]+)\s*$/i

/**
 * Returns the checksum of an artifact from a checksum file, in the formats of `sha256sum` and similar tools.
 * Comments and lines for algorithms other than `hash` are skipped. If only one line remains, without a file
 * name or with the name `-`, this line has the checksum. Otherwise, the line with the artifact's path
 * relative to the checksum file's folder has it, or else the line with the artifact's name.
 *
 * @returns lower-case hexadecimal
 * @throws Error if the file has no checksum of the artifact, or more than one
 */
export async function checksumIn(path: string, artifact: string, hash: ArtifactHash): Promise<string> {
  const entries = await entriesIn(await readText(path, MAX_FILE_BYTES), path)
  const fitting = entries.filter(({ digest, algorithm = hash }) => {
    return digest.length === DIGITS[hash] && algorithm.toLowerCase() === hash
  })
  const digests = [...new Set(entriesFor(artifact, path, fitting).map(({ digest }) => digest))]
  const [digest] = digests
  if (digest !== undefined && digests.length === 1) return digest
  const [one, ...others] = entries
  const got = one && others.length === 0 ? describeLine(one) : String(digests.length)
  throw new Error(`${path}: expected one ${hash} checksum for ${artifact}, got ${got}`)
}

function describeLine({ digest, name }: ChecksumLine): string {
  return `one of ${digest.length} digits${name === undefined ? '' : ` for ${JSON.stringify(name)}`}`
}

async function entriesIn(text: string, path: string): Promise<ChecksumLine[]> {
  const lines = text.split('\n', MAX_LINES + 1)
  if (lines.length > MAX_LINES) throw new Error(`${path}: expected at most ${MAX_LINES} lines, got more`)
  const entries: ChecksumLine[] = []
  for (const each of lines) {
    const turn = sourceTurns.yieldIfDue()
    if (turn) await turn
    const line = each.trimStart().replace(/\r$/, '')
    if (line !== '' && !line.startsWith('#')) entries.push(entryOf(line, path))
  }
  return entries
}

function entryOf(line: string, path: string): ChecksumLine {
  const [, digits] = BARE.exec(line) ?? []
  if (digits !== undefined) return { digest: digits.toLowerCase() }
  const [, gnuEscape, gnuDigits, gnuName] = GNU.exec(line) ?? []
  const [, bsdEscape, algorithm, bsdName, bsdDigits] = BSD.exec(line) ?? []
  const digest = gnuDigits ?? bsdDigits
  const name = gnuName ?? bsdName
  if (digest === undefined || name === undefined) {
    throw new Error(`${path}: expected lines as sha256sum writes them, got ${quote(line)}`)
  }
  const isEscaped = (gnuEscape ?? bsdEscape) === '\\'
  return { digest: digest.toLowerCase(), algorithm, name: isEscaped ? unescapeName(name) : name }
}

function entriesFor(
  artifact: string,
  path: string,
  entries: readonly ChecksumLine[],
): readonly ChecksumLine[] {
  // Accept the name `-`, which sha256sum writes for input from a pipe.
  if (entries.length === 1 && entries.every(({ name = '-' }) => name === '-')) return entries
  const [folder, wanted] = [dirname(resolve(path)), resolve(artifact)]
  // Compare names before paths, because resolving paths takes far longer.
  const alike = entries.filter(({ name }) => name !== undefined && basename(name) === basename(wanted))
  const exact = alike.filter(({ name = '' }) => resolve(folder, name) === wanted)
  return exact.length > 0 ? exact : alike
}

const CHARACTERS_BY_ESCAPE: Readonly<Record<string, string>> = { '\\\\': '\\', '\\n': '\n', '\\r': '\r' }

function unescapeName(name: string): string {
  return name.replace(/\\[\\nr]/g, (pair) => CHARACTERS_BY_ESCAPE[pair] ?? pair)
}
