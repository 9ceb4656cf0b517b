import { open } from 'node:fs/promises'
import type { Manifest, ManifestStatement } from 'alvarium-sdk/sets'
import { isManifestMessage } from '../../consume/beside.js'
import { readManifest } from '../../sets/manifest-message.js'
import { readManifestFile } from '../../sets/open-manifest.js'
import { assertSaltOf } from '../../sets/statement.js'
import { verifiedManifest } from '../../sets/verify-manifest.js'
import { invalid } from '../fault.js'
import { isFile } from '../input/files.js'
import type { Session } from '../session.js'
import { piecesOf } from './files.js'

/** Enough bytes to recognise the message of a manifest. */
const HEAD_BYTES = 64

/** Returns whether a file begins with the message of a manifest. A pipe can be read once, so it is not opened. */
export async function isManifestFile(path: string): Promise<boolean> {
  if (!(await isFile(path))) return false
  const file = await open(path).catch(() => undefined)
  if (!file) return false
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES))
    return isManifestMessage(buffer.subarray(0, bytesRead))
  } finally {
    await file.close()
  }
}

/** @throws AlvariumError `CONFIG_INVALID` where a manifest has a salt and none is given: every record would seem to be another */
export function assertSalted(statement: ManifestStatement, salt: Uint8Array | undefined): void {
  if (statement.salt !== undefined && !salt) throw invalid('--salt', 'the salt of the manifest', 'none')
}

/**
 * Reads a manifest without verifying its signature, to make proofs of it.
 *
 * @throws AlvariumError as `openManifest`
 */
export function ownManifestIn(
  path: string,
  salt: Uint8Array | undefined,
  session: Session,
): Promise<Manifest> {
  return readManifestFile(piecesOf(path, session), (message) => {
    const { signature, ...statement } = readManifest(message)
    assertSaltOf(statement, salt)
    return { statement: verifiedManifest(statement, salt), salt }
  })
}
