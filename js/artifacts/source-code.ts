import * as v from 'valibot'
import type { Annotator } from '../annotators/annotator.js'
import { readOptions, strict } from '../base/options/schema.js'
import { checksumIn } from './checksum-file.js'
import { type ArtifactHash, artifactHash, given, pathOption } from './file.js'
import { digestOfTree, type Links } from './tree.js'

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
