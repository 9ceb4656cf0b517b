import { fromBase64, toBase64 } from '../../foundation/base/bytes/base64.js'
import { toBytes, toHex } from '../../foundation/base/bytes/hex.js'
import { expected } from '../../foundation/base/errors.js'
import { readDecimal } from '../../foundation/base/text/text.js'
import type { LogSigner, LogVerifier } from './key.js'
import { quoteLine, readNote, signatureOf, writeNote } from './note.js'

// C2SP tlog-checkpoint, https://c2sp.org/tlog-checkpoint

/** Size and root of a log, with the signed note that states them. */
export interface LogCheckpoint {
  /** Name of the log: the first line of the note. */
  readonly origin: string
  /** Number of entries: bundles, annotations and messages of other SDKs, and records of prunings. */
  readonly size: number
  /** Root of the Merkle tree (RFC 9162 §2.1.1): 64 lower-case hexadecimal digits. */
  readonly root: string
  /** The signed note (C2SP tlog-checkpoint). Store a copy elsewhere, to detect later changes of the log. */
  readonly note: string
}

const DIGEST = /^[\da-f]{64}$/

export async function signCheckpoint(signer: LogSigner, size: number, root: string): Promise<LogCheckpoint> {
  const { origin } = signer
  const text = `${origin}\n${size}\n${toBase64(toBytes(root) as Uint8Array)}\n`
  const keyId = toBytes(signer.keyId) as Uint8Array
  return { origin, size, root, note: writeNote(text, origin, keyId, await signer.sign(text)) }
}

/**
 * Reads a checkpoint. Ignores lines after the third, and signatures that are not by the log's key.
 *
 * @param verifier - verifies the log's signature; undefined to verify nothing
 * @throws AlvariumError `MESSAGE_MALFORMED`, `SIGNATURE_INVALID`
 */
export function readCheckpoint(note: string, verifier: LogVerifier | undefined): LogCheckpoint {
  const read = readNote(note)
  const [origin = '', digits = '', base64 = ''] = read.text.split('\n')
  const size = readDecimal(digits)
  const bytes = fromBase64(base64)
  const root = bytes ? toHex(bytes) : ''
  if (origin === '' || size === undefined || !DIGEST.test(root)) {
    throw expected(
      'MESSAGE_MALFORMED',
      'checkpoint',
      'lines with a name, a size, and a root of 32 bytes in base64',
      quoteLine(read.text),
    )
  }
  if (verifier) {
    if (origin !== verifier.origin)
      throw expected('MESSAGE_MALFORMED', 'checkpoint', `a checkpoint of ${verifier.origin}`, origin)
    verifier.assertSigned(read.text, signatureOf(read, origin, verifier.keyId))
  }
  return { origin, size, root, note }
}
