import { assertBytes, expected, isBytes, needs } from '../../foundation/base/errors.js'
import { integer, readOptions, strict } from '../../foundation/base/options/schema.js'
import { callTurns } from '../../foundation/base/time/turns.js'
import { EntryReader } from './entries.js'
import { assertContents, LINE_FEED, Manifest } from './manifest.js'
import { MAX_MANIFEST_BYTES } from './manifest-message.js'
import { trustMembers } from './statement.js'
import { type SealedEntries, sealedEntries } from './tree.js'
import { type VerifiedManifest, type VerifyManifestOptions, verifyManifest } from './verify-manifest.js'

/** Trusted keys, salt and limit for reading a manifest. */
export interface OpenManifestOptions extends VerifyManifestOptions {
  /** Maximum number of records, at 36 bytes of memory each. Default 16,000,000. */
  readonly maxRecords?: number | undefined
}

/** Valibot schema of {@link OpenManifestOptions}. The guide's page of limits is generated from it. */
export const manifestSchema = strict({ ...trustMembers, maxRecords: integer(0, 2 ** 32, 16_000_000) })

/** Bytes of a manifest's file, or an iterable of pieces. */
export type ManifestSource = Uint8Array | AsyncIterable<Uint8Array> | Iterable<Uint8Array>

/**
 * Reads and verifies a manifest's file: first the message, then exactly the signed number of payload keys,
 * which must have the signed root. Returns the manifest only after everything has verified.
 *
 * @param source - the bytes, or an iterable of pieces, such as a file's stream
 * @throws TypeError if a piece is not a `Uint8Array`, or `receivedAt` is not a time
 * @throws AlvariumError as `verifyManifest`; `MESSAGE_MALFORMED` if keys are missing or surplus; `PROOF_INVALID`
 * for keys or an order other than signed; `CONFIG_INVALID` for more records than `maxRecords`
 *
 * @example
 * ```ts
 * import { check, readRecords } from 'alvarium-sdk/records'
 * import { openManifest, sealManifest } from 'alvarium-sdk/sets'
 *
 * const rows = (csv: string) => readRecords(new Blob([csv]).stream(), { format: 'csv' })
 * const sealed = await sealManifest(rows('id,celsius\n1,21.4\n2,19.8\n'), { signingKey })
 *
 * const manifest = await openManifest(sealed.pieces(), { keyring }) // or createReadStream(path)
 * for await (const finding of check(rows('id,celsius\n1,21.4\n2,18.9\n'), manifest)) {
 *   if (finding.kind === 'altered') console.log(finding.record.line) // 3
 * }
 * ```
 */
export async function openManifest(source: ManifestSource, options: OpenManifestOptions): Promise<Manifest> {
  const { maxRecords, salt } = readOptions(manifestSchema, options, 'openManifest')
  const { keyring, receivedAt } = options
  return readManifestFile(source, async (message) => {
    const statement = await verifyManifest(message, { keyring, receivedAt, salt })
    if (statement.size <= maxRecords) return { statement, salt: salt && new Uint8Array(salt) }
    throw expected(
      'CONFIG_INVALID',
      'maxRecords',
      `at least ${statement.size}, the number of records in the manifest`,
      `${maxRecords}`,
    )
  })
}

type ReadStatement = Pick<SealedEntries, 'salt'> & { readonly statement: VerifiedManifest }

/**
 * Reads a manifest's file without verifying the signature. `read` parses the message before any payload key is read.
 *
 * @throws AlvariumError as {@link openManifest}
 */
export async function readManifestFile(
  source: ManifestSource,
  read: (message: Uint8Array) => ReadStatement | Promise<ReadStatement>,
): Promise<Manifest> {
  const pieces = piecesOf(source)
  const { message, rest } = await headOf(pieces)
  const { statement, salt } = await read(message)
  const reading = new EntryReader({ max: statement.size, isSorted: false })
  await reading.read(rest)
  for await (const piece of pieces) await reading.read(piece)
  const contents = await sealedEntries(reading.end(), salt)
  assertContents(statement, contents)
  return new Manifest(message, statement, contents)
}

async function* piecesOf(source: ManifestSource): AsyncGenerator<Uint8Array, void> {
  yield* isBytes(source) ? [source] : source
}

/**
 * Reads the message, which ends at the first line feed. `rest` has the bytes after this line feed that were
 * already read.
 */
async function headOf(pieces: AsyncGenerator<Uint8Array, void>) {
  const head = new Uint8Array(MAX_MANIFEST_BYTES)
  let length = 0
  for (let next = await pieces.next(); !next.done; next = await pieces.next()) {
    const piece = next.value
    assertBytes(piece, 'source')
    await callTurns.yieldIfDueLong()
    const end = piece.indexOf(LINE_FEED)
    const part = piece.subarray(0, end < 0 ? piece.length : end)
    if (length + part.length > MAX_MANIFEST_BYTES) break
    head.set(part, length)
    length += part.length
    if (end >= 0) return { message: head.slice(0, length), rest: piece.subarray(end + 1) }
  }
  throw needs('manifest', `a line feed after at most ${MAX_MANIFEST_BYTES} bytes`, 'MESSAGE_MALFORMED')
}
