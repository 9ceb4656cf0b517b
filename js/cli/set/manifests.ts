import { open } from 'node:fs/promises'
import type { Manifest, ManifestStatement } from 'alvarium-sdk/sets'
import { readManifest } from '../../evidence/sets/manifest-message.js'
import { readManifestFile } from '../../evidence/sets/open-manifest.js'
import { assertSaltOf } from '../../evidence/sets/statement.js'
import { verifiedManifest } from '../../evidence/sets/verify-manifest.js'
import { needs } from '../../foundation/base/errors.js'
import { isManifestMessage } from '../../verifying/consume/control-messages.js'
import { isFile } from '../input/files.js'
import type { Session } from '../session.js'
import { piecesOf } from './files.js'

/** Number of leading bytes that identify the message of a manifest. */
const HEAD_BYTES = 64

/** Returns whether a file begins with a manifest. Does not open pipes, which can be read only once. */
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

/** Refuses to read a salted manifest without its salt, because no record would match. */
export function assertSalted(statement: ManifestStatement, salt: Uint8Array | undefined): void {
  if (statement.salt !== undefined && !salt) throw needs('--salt', 'the salt of the manifest')
}

/** Reads a manifest without verifying its signature, for making proofs. */
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
