import { basename, dirname, resolve } from 'node:path'
import type { Annotator } from '../annotators/annotator.js'
import { readOptions, strict } from '../base/options/schema.js'
import { quote } from '../base/text/text.js'
import { sourceTurns } from '../base/time/turns.js'
import { type ArtifactHash, artifactHash, digestOfFile, given, pathOption, readText } from './file.js'

/** Which file is looked at, and where its checksum is. */
export interface ChecksumInput {
  readonly artifactPath?: string | undefined
  readonly checksumPath?: string | undefined
}

/** How `checksum` hashes; paths that every call has in common. */
export interface ChecksumOptions extends ChecksumInput {
  /** Default `sha256`. */
  readonly hash?: ArtifactHash | undefined
}

const schema = strict({ hash: artifactHash, artifactPath: pathOption, checksumPath: pathOption })

/**
 * `checksum`: a file has the checksum that another file says. That may be hexadecimal digits in either case, or what
 * `sha256sum` writes, with `--tag` too, also for many files and of several algorithms: a line that names a file counts for
 * a file of that name alone. The artifact is read in pieces; give `openSdk` an `annotatorTimeoutMs` that is
 * enough for it.
 *
 * A checksum beside its artifact tells accidents from a whole file, but not an attacker, who can write both.
 *
 * @throws AlvariumError `CONFIG_INVALID` naming the option
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
      const artifact = given('checksum.artifactPath', input?.artifactPath, paths.artifactPath)
      const checksumPath = given('checksum.checksumPath', input?.checksumPath, paths.checksumPath)
      const expected = await checksumIn(checksumPath, artifact, hash)
      return (await digestOfFile(artifact, hash, signal)) === expected
    },
  }
}

interface ChecksumLine {
  readonly digest: string
  /** As the line has it, where it has one: SHA256, SM3. */
  readonly algorithm?: string | undefined
  /** Absent where a line has nothing but a digest. */
  readonly name?: string
}

/** Many files' worth. */
const LONGEST = 16 * 1024 * 1024
const MOST_LINES = 500_000
const DIGITS: Readonly<Record<ArtifactHash, number>> = { sha256: 64, sha384: 96, sha512: 128, md5: 32 }

/** `<digits>`, as sha256sum has it, and as `sha256sum --tag` and BSD's tools do. Names may begin and end with spaces. */
const BARE = /^([0-9a-f]+)\s*$/i
const GNU = /^(\\?)([0-9a-f]+) [ *](.+)$/i
const BSD = /^(\\?)([\w-]+) ?\((.+)\) = ([0-9a-f]+)\s*$/i

/**
 * The checksum that a file has for an artifact, in the forms in which `sha256sum` and its like write and take it, in either
 * case: alone, or found by the artifact's path, seen from that file's folder, or else by its name. Comments, and what is of
 * another algorithm, are passed over.
 *
 * @returns lower-case hexadecimal
 * @throws Error when there is none, or not just one
 */
export async function checksumIn(path: string, artifact: string, hash: ArtifactHash): Promise<string> {
  const entries = await entriesIn(await readText(path, LONGEST), path)
  const fitting = entries.filter(({ digest, algorithm = hash }) => {
    return digest.length === DIGITS[hash] && algorithm.toLowerCase() === hash
  })
  const digests = [...new Set(entriesFor(artifact, path, fitting).map(({ digest }) => digest))]
  const [digest] = digests
  if (digest !== undefined && digests.length === 1) return digest
  const [one, ...others] = entries
  const got = one && others.length === 0 ? shown(one) : String(digests.length)
  throw new Error(`${path}: expected one ${hash} checksum for ${artifact}, got ${got}`)
}

function shown({ digest, name }: ChecksumLine): string {
  return `one of ${digest.length} digits${name === undefined ? '' : ` for ${JSON.stringify(name)}`}`
}

async function entriesIn(text: string, path: string): Promise<ChecksumLine[]> {
  const lines = text.split('\n', MOST_LINES + 1)
  if (lines.length > MOST_LINES) throw new Error(`${path}: expected at most ${MOST_LINES} lines, got more`)
  const entries: ChecksumLine[] = []
  for (const each of lines) {
    const turn = sourceTurns.take()
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
  return { digest: digest.toLowerCase(), algorithm, name: isEscaped ? unescaped(name) : name }
}

function entriesFor(
  artifact: string,
  path: string,
  entries: readonly ChecksumLine[],
): readonly ChecksumLine[] {
  // sha256sum names what came through a pipe so.
  if (entries.length === 1 && entries.every(({ name = '-' }) => name === '-')) return entries
  const [here, wanted] = [dirname(resolve(path)), resolve(artifact)]
  // Names before paths: these take far longer to work out.
  const alike = entries.filter(({ name }) => name !== undefined && basename(name) === basename(wanted))
  const exact = alike.filter(({ name = '' }) => resolve(here, name) === wanted)
  return exact.length > 0 ? exact : alike
}

const UNESCAPED: Readonly<Record<string, string>> = { '\\\\': '\\', '\\n': '\n', '\\r': '\r' }

function unescaped(name: string): string {
  return name.replace(/\\[\\nr]/g, (pair) => UNESCAPED[pair] ?? pair)
}
