import { open } from 'node:fs/promises'
import type { Manifest } from 'alvarium-sdk/sets'
import { readManifest } from '../../sets/manifest-message.js'
import { readManifestFile } from '../../sets/open-manifest.js'
import { assertSaltOf } from '../../sets/statement.js'
import { verifiedManifest } from '../../sets/verify-manifest.js'
import { isFile } from '../input/files.js'
import type { Session } from '../session.js'
import { piecesOf } from './files.js'

/** How the message of a manifest begins, which is like no other (FORMAT.md, manifest/1). */
const START = '{"messageType":"alvarium.Manifest/1"'

/** Returns whether a message is that of a manifest, by its first bytes. */
export function isManifestMessage(message: Uint8Array): boolean {
  return Buffer.from(message.subarray(0, START.length)).toString('latin1') === START
}

/** Returns whether a file begins with the message of a manifest. What is piped in can be read once, and is not looked into. */
export async function isManifestFile(path: string): Promise<boolean> {
  if (!(await isFile(path))) return false
  const file = await open(path).catch(() => undefined)
  if (!file) return false
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(START.length))
    return isManifestMessage(buffer.subarray(0, bytesRead))
  } finally {
    await file.close()
  }
}

/**
 * Reads a manifest of one's own, whose signature nobody has to verify.
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
