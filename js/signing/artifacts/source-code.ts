import { createHash } from 'node:crypto'
import type { BigIntStats } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import * as v from 'valibot'
import { readOptions, strict } from '../../foundation/base/options/schema.js'
import { sourceTurns } from '../../foundation/base/time/turns.js'
import type { Annotator } from '../annotators/annotator.js'
import { checksumIn } from './checksum.js'
import { type ArtifactHash, artifactHash, choosePath, digestOfFile, pathOption } from './file.js'

/** Folder to check, and the file with its checksum, which is outside of the folder. */
export interface SourceCodeInput {
  readonly sourceCodePath?: string | undefined
  readonly checksumPath?: string | undefined
}

/** Hash algorithm of `sourceCode`, and paths for calls that give none. */
export interface SourceCodeOptions extends SourceCodeInput {
  /** Hash algorithm. Default `sha256`. */
  readonly hash?: ArtifactHash | undefined
  /** Treatment of symbolic links. Default `follow`, as in Java; `find` without `-L` skips them. */
  readonly links?: Links | undefined
}

const schema = strict({
  hash: artifactHash,
  links: v.optional(v.picklist(['follow', 'skip'], 'follow or skip'), 'follow'),
  sourceCodePath: pathOption,
  checksumPath: pathOption,
})

/**
 * Makes the annotator `source-code`: all files below a folder, including hidden ones, have the checksum in a file. The command `find -L .
 * -type f -exec sha256sum {} + | LC_ALL=C sort | sha256sum` in the folder prints it: names and contents count, times and permissions do
 * not. A link back to a folder that contains it, and a file that cannot be read, are reported. The walk ends after `annotatorTimeoutMs`.
 *
 * @throws AlvariumError `CONFIG_INVALID` naming the option
 *
 * @example
 * ```ts
 * const sdk = await openSdk({ signingKey, annotators: [sourceCode()], stream })
 * await sdk.create(payload, { 'source-code': { sourceCodePath: '/src/app', checksumPath: '/src/app.sha256' } })
 * ```
 */
export function sourceCode(options: SourceCodeOptions = {}): Annotator<'source-code', SourceCodeInput> {
  const { hash, links, ...paths } = readOptions(schema, options, 'sourceCode')
  return {
    kind: 'source-code',
    isSatisfied: async ({ input, signal }) => {
      const folder = choosePath('source-code.sourceCodePath', input?.sourceCodePath, paths.sourceCodePath)
      const checksumPath = choosePath('source-code.checksumPath', input?.checksumPath, paths.checksumPath)
      const expected = await checksumIn(checksumPath, folder, hash)
      return (await digestOfTree(folder, { hash, links, signal })) === expected
    },
  }
}

/** Treatment of symbolic links: their files are hashed under the link's name, or skipped. */
export type Links = 'follow' | 'skip'

/** Limit of files, folders and links. No source code has more, but folders that link to each other have ever more paths. */
const MAX_ENTRIES = 1_000_000
const SLASH = Buffer.from('/')

/** Settings of a walk through a tree. */
interface Walk {
  readonly hash: ArtifactHash
  readonly links: Links
  readonly signal: AbortSignal | undefined
}

/** Folder of a tree, and the folders that contain it. */
interface Folder {
  readonly path: Buffer
  /** Path relative to the top. */
  readonly name: Buffer
  /** Device and inode numbers of the folder and of the folders that contain it. */
  readonly above: readonly string[]
}

/**
 * Returns one digest for all files below a folder, including hidden ones: that of `sha256sum`'s lines for them, sorted by their bytes.
 * Lines are sorted in groups by their first two characters, and other tasks run between two groups.
 *
 * `find . -type f -exec sha256sum {} + | LC_ALL=C sort | sha256sum` prints the same in the folder (with `find -L` to follow links).
 *
 * @returns lower-case hexadecimal
 * @throws Error if something in it cannot be read, or a link leads back to a folder that contains it, or `signal` aborts
 */
async function digestOfTree(root: string, walk: Walk): Promise<string> {
  const { hash, signal } = walk
  const groups = new Map<string, Buffer[]>()
  for await (const { path, name } of filesBelow(root, walk)) {
    const line = lineOf(await digestOfFile(path, hash, signal), name)
    const start = line.toString('latin1', 0, 2)
    const group = groups.get(start)
    if (group) group.push(line)
    else groups.set(start, [line])
  }
  const digest = createHash(hash)
  for (const [, lines] of [...groups].sort(([a], [b]) => (a < b ? -1 : 1))) {
    await sourceTurns.takeLong()
    // Sort without line ends, as `sort` does, because some bytes of names are below a line feed.
    for (const line of lines.sort(Buffer.compare)) digest.update(line).update('\n')
  }
  return digest.digest('hex')
}

/** Returns a line of `sha256sum`. It escapes names, because a name could otherwise be a line for another file. */
function lineOf(digest: string, name: Buffer): Buffer {
  // Decode one character for each byte, because names need not be UTF-8.
  const text = name.toString('latin1')
  const escaped = text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('\r', '\\r')
  return Buffer.from(`${escaped === text ? '' : '\\'}${digest}  ${escaped}`, 'latin1')
}

async function* filesBelow(
  root: string,
  { links, signal }: Walk,
): AsyncGenerator<{ path: Buffer; name: Buffer }> {
  const path = Buffer.from(root)
  const top = await stat(path, { bigint: true })
  if (!top.isDirectory()) throw new Error(`${root}: expected a folder, got something else`)
  const folders: Folder[] = [{ path, name: Buffer.from('.'), above: [placeOf(top)] }]
  let entries = 0
  for (let folder = folders.pop(); folder; folder = folders.pop()) {
    signal?.throwIfAborted()
    for (const entry of await readdir(folder.path, { encoding: 'buffer', withFileTypes: true })) {
      signal?.throwIfAborted()
      if (++entries > MAX_ENTRIES)
        throw new Error(`${root}: expected at most ${MAX_ENTRIES} entries, got more`)
      const [path, name] = [folder.path, folder.name].map((one) => Buffer.concat([one, SLASH, entry.name]))
      if (!path || !name || (entry.isSymbolicLink() && links === 'skip')) continue
      if (entry.isFile()) yield { path, name }
      else if (entry.isDirectory() || entry.isSymbolicLink()) {
        const found = await stat(path, { bigint: true }).catch(ignoreMissing)
        if (found?.isFile()) yield { path, name }
        else if (found?.isDirectory()) folders.push(childFolder(folder, path, name, found))
      }
    }
  }
}

function childFolder({ above }: Folder, path: Buffer, name: Buffer, found: BigIntStats): Folder {
  const place = placeOf(found)
  if (!above.includes(place)) return { path, name, above: [...above, place] }
  throw new Error(`${path}: expected links that lead to an end, got one that leads back to a folder it is in`)
}

const placeOf = ({ dev, ino }: BigIntStats) => `${dev}:${ino}`

/** Returns undefined for a link to nothing, which is not a file for `find` and Java. */
function ignoreMissing(error: unknown): undefined {
  if ((error as { code?: string }).code === 'ENOENT') return undefined
  throw error
}
