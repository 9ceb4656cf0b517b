import { createHash } from 'node:crypto'
import type { BigIntStats } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import * as v from 'valibot'
import type { Annotator } from '../annotators/annotator.js'
import { readOptions, strict } from '../base/options/schema.js'
import { sourceTurns } from '../base/time/turns.js'
import { checksumIn } from './checksum.js'
import { type ArtifactHash, artifactHash, digestOfFile, given, pathOption } from './file.js'

/** Which folder is looked at, and where its checksum is: not in it. */
export interface SourceCodeInput {
  readonly sourceCodePath?: string | undefined
  readonly checksumPath?: string | undefined
}

/** How `sourceCode` hashes; paths that every call has in common. */
export interface SourceCodeOptions extends SourceCodeInput {
  /** Default `sha256`. */
  readonly hash?: ArtifactHash | undefined
  /** What becomes of symbolic links. Default `follow`, as in Java; `find` without `-L` leaves them out. */
  readonly links?: Links | undefined
}

const schema = strict({
  hash: artifactHash,
  links: v.optional(v.picklist(['follow', 'skip'], 'follow or skip'), 'follow'),
  sourceCodePath: pathOption,
  checksumPath: pathOption,
})

/**
 * `source-code`: all files below a folder, hidden ones too, have the checksum that a file says. In the folder, that is
 * `find -L . -type f -exec sha256sum {} + | LC_ALL=C sort | sha256sum`: names and contents count, times and permissions
 * do not. A link that leads back to a folder that it is in, and a file that cannot be read, are reported. The walk ends
 * when `annotatorTimeoutMs` has passed.
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
      const folder = given('source-code.sourceCodePath', input?.sourceCodePath, paths.sourceCodePath)
      const checksumPath = given('source-code.checksumPath', input?.checksumPath, paths.checksumPath)
      const expected = await checksumIn(checksumPath, folder, hash)
      return (await digestOfTree(folder, { hash, links, signal })) === expected
    },
  }
}

/** What becomes of symbolic links: their files are hashed under the link's name, or they are left out. */
export type Links = 'follow' | 'skip'

/** Files, folders and links. More is nobody's source code, but folders that lead to each other in ever more ways. */
const MOST_ENTRIES = 1_000_000
const SLASH = Buffer.from('/')

/** How a tree is walked. */
interface Walk {
  readonly hash: ArtifactHash
  readonly links: Links
  readonly signal: AbortSignal | undefined
}

/** A folder of a tree, and those that it is in. */
interface Folder {
  readonly path: Buffer
  /** Seen from the top. */
  readonly name: Buffer
  /** Devices and inodes, of itself too. */
  readonly above: readonly string[]
}

/**
 * One digest for all files below a folder, hidden ones too: that of `sha256sum`'s lines for them, sorted by their bytes. They are sorted in
 * groups by how they begin, and others have their turn between two groups.
 *
 * `find . -type f -exec sha256sum {} + | LC_ALL=C sort | sha256sum` says the same in the folder (with `find -L` for links
 * that are followed).
 *
 * @returns lower-case hexadecimal
 * @throws Error when something in it cannot be read, or a link leads back to where it is, or `signal` ends it
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
    // sort compares without line ends, which some bytes of names are below.
    for (const line of lines.sort(Buffer.compare)) digest.update(line).update('\n')
  }
  return digest.digest('hex')
}

/** Without the escapes a file's name could be a line for another file. */
function lineOf(digest: string, name: Buffer): Buffer {
  // Each byte one character: names need not be UTF-8.
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
      if (++entries > MOST_ENTRIES)
        throw new Error(`${root}: expected at most ${MOST_ENTRIES} entries, got more`)
      const [path, name] = [folder.path, folder.name].map((one) => Buffer.concat([one, SLASH, entry.name]))
      if (!path || !name || (entry.isSymbolicLink() && links === 'skip')) continue
      if (entry.isFile()) yield { path, name }
      else if (entry.isDirectory() || entry.isSymbolicLink()) {
        const found = await stat(path, { bigint: true }).catch(missing)
        if (found?.isFile()) yield { path, name }
        else if (found?.isDirectory()) folders.push(below(folder, path, name, found))
      }
    }
  }
}

function below({ above }: Folder, path: Buffer, name: Buffer, found: BigIntStats): Folder {
  const place = placeOf(found)
  if (!above.includes(place)) return { path, name, above: [...above, place] }
  throw new Error(`${path}: expected links that lead to an end, got one that leads back to a folder it is in`)
}

const placeOf = ({ dev, ino }: BigIntStats) => `${dev}:${ino}`

/** A link to nothing is no file, for `find` and for Java. */
function missing(error: unknown): undefined {
  if ((error as { code?: string }).code === 'ENOENT') return undefined
  throw error
}
