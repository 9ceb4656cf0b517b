import { isManifestMessage } from '../../verifying/consume/control-messages.js'

/** First bytes of files without messages, as their formats define them. A few lines of such a file may look like messages. */
const KINDS: readonly (readonly [begin: string, kind: string, at?: number])[] = [
  ['PK\x03\x04', 'a ZIP file: alvarium pack verify reads evidence packs'],
  ['\x89PNG', 'a PNG image'],
  ['\xff\xd8\xff', 'a JPEG image'],
  ['GIF8', 'a GIF image'],
  ['II*\0', 'a TIFF image'],
  ['MM\0*', 'a TIFF image'],
  ['%PDF-', 'a PDF file'],
  ['SQLite format 3\0', 'a SQLite database'],
  ['PAR1', 'a Parquet file'],
  ['\x7fELF', 'a program'],
  ['ustar', 'a tar archive: unpack it', 257],
]

/** Returns the kind of a file by its first bytes; undefined if it may have messages. */
export function fileKindOf(bytes: Uint8Array): string | undefined {
  const begin = Buffer.from(bytes.subarray(0, 512)).toString('latin1')
  return KINDS.find(([text, , at = 0]) => begin.startsWith(text, at))?.[1] ?? manifestIn(bytes)
}

/** Finds the keys behind the message of a manifest: 32 bytes that are not text. Without them, it is a message like any other. */
function manifestIn(bytes: Uint8Array): string | undefined {
  const end = bytes.indexOf(0x0a)
  const key = bytes.subarray(end + 1, end + 33)
  if (end < 0 || key.length < 32 || !isManifestMessage(bytes)) return undefined
  const isText = key.every((byte) => byte >= 0x20 && byte < 0x7f)
  return isText ? undefined : 'a manifest: alvarium check takes it as a file'
}
