import type { Annotator } from '../annotators/annotator.js'
import { readOptions, strict } from '../base/options/schema.js'
import { checksumIn } from './checksum-file.js'
import { type ArtifactHash, artifactHash, digestOfFile, given, pathOption } from './file.js'

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
