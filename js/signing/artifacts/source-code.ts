import { createHash } from 'node:crypto'
import type { BigIntStats } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import * as v from 'valibot'
import { ifPresent } from '../../foundation/base/if-present.js'
import { readOptions, strict } from '../../foundation/base/options/schema.js'
import { sourceTurns } from '../../foundation/base/time/turns.js'
import type { Annotator } from '../annotators/annotator.js'
import { checksumIn } from './checksum.js'
import { type ArtifactHash, artifactHash, choosePath, digestOfFile, pathOption } from './file.js'

/** Path of the folder to check, and path of the file with its checksum. That file is outside of the folder. */
export interface SourceCodeInput {
  readonly sourceCodePath?: string | undefined
  readonly checksumPath?: string | undefined
}

/** Options of `sourceCode`: the hash algorithm, and default paths for calls without paths. */
export interface SourceCodeOptions extends SourceCodeInput {
  /** Hash algorithm. Default `sha256`. */
  readonly hash?: ArtifactHash | undefined
  /** Treatment of symbolic links. Default `follow`, as in Java. `find` without `-L` skips links. */
  readonly links?: Links | undefined
}

const schema = strict({
  hash: artifactHash,
  links: v.optional(v.picklist(['follow', 'skip'], 'follow or skip'), 'follow'),
  sourceCodePath: pathOption,
  checksumPath: pathOption,
})

/**
 * Creates the annotator `source-code`: the checksum of all files below a folder, including hidden ones, is
 * the one that another file states. The command
 * `find -L . -type f -exec sha256sum {} + | LC_ALL=C sort | sha256sum` in the folder prints the checksum.
 * Names and contents count; times and permissions do not. The annotator reports a link to a folder that
 * contains the link, and a file that cannot be read. It stops reading after `annotatorTimeoutMs`.
 *
 * @throws AlvariumError `CONFIG_INVALID` naming the invalid option
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

/** Treatment of symbolic links: `follow` hashes the linked files under the link's name, `skip` ignores links. */
export type Links = 'follow' | 'skip'

/** Maximum number of files, folders and links, because links between folders can lead to extremely many paths. */
const MAX_ENTRIES = 1_000_000
const SLASH = Buffer.from('/')

interface Walk {
  readonly hash: ArtifactHash
  readonly links: Links
  readonly signal: AbortSignal | undefined
}

interface Folder {
  readonly path: Buffer
  /** Path relative to the top folder. */
  readonly name: Buffer
  /** Device and inode numbers of this folder and of all folders that contain it. */
  readonly above: readonly string[]
}

/**
 * Returns one digest for all files below a folder, including hidden ones. It is the digest of the lines of
 * `sha256sum` for the files, sorted by their bytes. Lines are sorted in groups by their first two characters,
 * and other tasks run between two groups.
 *
 * `find . -type f -exec sha256sum {} + | LC_ALL=C sort | sha256sum` in the folder prints the digest for the
 * hash `sha256`. To follow links, it needs `find -L`.
 *
 * @returns lower-case hexadecimal
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
    await sourceTurns.yieldIfDueLong()
    // Sort without line ends, as `sort` does, because file names may contain bytes below a line feed.
    for (const line of lines.sort(Buffer.compare)) digest.update(line).update('\n')
  }
  return digest.digest('hex')
}

/** Returns a line of `sha256sum`. It escapes a line end in the name, which could look like another file's line. */
function lineOf(digest: string, name: Buffer): Buffer {
  // Decode each byte to one character, because file names need not be UTF-8.
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
  if (!top.isDirectory()) throw new Error(`${root}: expected a folder, got a file or a device`)
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
        // A link may lead to a missing file, which `find` and Java do not count as a file.
        const found = await ifPresent(stat(path, { bigint: true }))
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
