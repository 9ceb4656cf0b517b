import { JsonValues } from '../../evidence/records/json-values.js'
import { type Item, isBlank, itemsOf, LineSplitter, type Splitter } from '../../evidence/records/splitter.js'
import { join } from '../../foundation/base/bytes/join.js'
import { AlvariumError, malformed } from '../../foundation/base/errors.js'
import { beginOf, isUtf16, stripBom } from '../../foundation/base/text/text.js'
import { isManifestMessage } from '../../verifying/consume/control-messages.js'
import { invalid } from '../fault.js'
import { unpack } from '../input/compressed.js'
import { Unreadable } from '../input/files.js'
import { peek } from '../input/peek.js'
import { countBytes, type InputSource, sourcesOf } from '../input/source.js'
import type { Input } from '../session.js'
import { CborSequence } from './cbor-sequence.js'
import { isCbor, messageIn, openLetter } from './forms.js'
import { type FoundMessage, lessData } from './found.js'

/** Maximum length of a batch in bytes (FORMAT.md, Limits). */
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024
/** Maximum length of a line in bytes. Hexadecimal, the longest encoding, doubles a message. */
const MAX_LINE_BYTES = 2 * MAX_MESSAGE_BYTES

/**
 * Yields the messages of all sources, grouped as they become available. Memory does not grow with the source.
 * An error takes the place of each unreadable message.
 *
 * @param addBytes - called with the length of each piece read
 */
export async function* messagesOf(
  sources: readonly string[],
  input: Input,
  addBytes?: (bytes: number) => void,
): AsyncGenerator<FoundMessage[], void> {
  for (const argument of sources) {
    for await (const source of sourcesOf(argument, input)) {
      const isCounted = addBytes && !(source instanceof Unreadable)
      yield* messagesOrWhy(isCounted ? countBytes(source, addBytes) : source)
    }
  }
}

async function* messagesOrWhy(source: InputSource | Unreadable): AsyncGenerator<FoundMessage[], void> {
  try {
    if (source instanceof Unreadable) throw source
    for await (const group of lessData(source.name, messagesIn(source))) yield group.map(openLetter)
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error
    yield [{ place: error.path, message: error }]
  }
}

async function* messagesIn(source: InputSource): AsyncGenerator<FoundMessage[], void> {
  const { head, bytes } = await peek(plainPieces(source), firstLineIn())
  const start = join(head).bytes
  const kind = fileKindOf(start)
  if (kind) throw new Unreadable(source.name, 'messages', kind)
  for await (const items of itemsOf(bytes, splitterFor(start))) {
    for (let at = 0; at < items.length; at += MAX_PER_GROUP) {
      yield items.slice(at, at + MAX_PER_GROUP).map((item) => ({
        place: source.isAlone ? source.name : `${source.name}:${item.number}`,
        message: messageOfItem(item),
      }))
    }
  }
}

/** Maximum number of messages per group. Larger groups do not verify faster. */
const MAX_PER_GROUP = 256

/**
 * Decompresses a source and removes the byte order mark that some editors write before UTF-8.
 *
 * @throws Unreadable for UTF-16
 */
async function* plainPieces(source: InputSource): AsyncGenerator<Uint8Array, void> {
  let start: Uint8Array | undefined = new Uint8Array(0)
  for await (const piece of unpack(source)) {
    if (start === undefined) {
      yield piece
      continue
    }
    start = Buffer.concat([start, piece])
    if (isUtf16(start)) throw new Unreadable(source.name, 'messages in UTF-8', 'UTF-16: save it as UTF-8')
    // Wait for three bytes, the length of a byte order mark.
    if (start.length < MAX_MARK_BYTES) continue
    yield stripBom(start)
    start = undefined
  }
  if (start && start.length > 0) yield start
}

const MAX_MARK_BYTES = 3

/**
 * Returns a function that looks for the end of the first line with text, which shows the format of the messages. Each
 * piece is searched once: a source may be one long line, or begin with many blank lines.
 */
function firstLineIn(): (piece: Uint8Array, length: number) => boolean {
  let hasBegun = false
  return (piece, length) => {
    if (length >= MAX_LINE_BYTES || (length === piece.length && isCbor(piece))) return true
    const start = hasBegun ? 0 : beginOf(piece)
    hasBegun ||= start < piece.length
    return hasBegun && piece.includes(NEWLINE, start)
  }
}

/** Returns the splitter for CBOR, a JSON array, JSON over several lines (as from `jq`), or JSON lines. */
function splitterFor(head: Uint8Array): Splitter {
  if (isCbor(head)) return new CborSequence(MAX_MESSAGE_BYTES)
  const start = beginOf(head)
  if (head[start] === BRACKET) return new JsonValues(MAX_MESSAGE_BYTES)
  const end = head.indexOf(NEWLINE, start)
  const goesOn = head[start] === BRACE && end > 0 && isBlank(head.subarray(start + 1, end))
  return goesOn ? new JsonValues(MAX_MESSAGE_BYTES) : new LineSplitter(MAX_LINE_BYTES)
}

function messageOfItem({ bytes, isCut, fault }: Item): FoundMessage['message'] {
  if (fault) {
    const { line, column, expected, got } = fault
    return malformed('message', expected, `${got} at line ${line}, column ${column}`)
  }
  if (isCut) return malformed('message', 'a whole message', 'a message that was cut off')
  if (bytes === undefined) return malformed('message', `at most ${MAX_MESSAGE_BYTES} bytes`, 'more')
  return messageIn(bytes)
}

/** Reads the message of a source that must have exactly one. */
export function messageOf(argument: string, input: Input): Promise<Uint8Array> {
  return onlyOf(messagesOf([argument], input))
}

export function messageOfSource(source: InputSource): Promise<Uint8Array> {
  return onlyOf(messagesOrWhy(source))
}

async function onlyOf(messages: AsyncIterable<FoundMessage[]>): Promise<Uint8Array> {
  const found: FoundMessage[] = []
  for await (const group of messages) {
    found.push(...group)
    if (found.length > 1)
      throw invalid('source', 'one message', 'several messages: pick one, for example with head -n 1')
  }
  const [only] = found
  if (only === undefined) throw invalid('source', 'a message', 'an empty source')
  if (only.message instanceof AlvariumError) throw only.message
  return only.message
}

const NEWLINE = 0x0a
const BRACE = 0x7b
const BRACKET = 0x5b

/** Leading bytes of file formats that contain no messages, although some bytes may look like one. */
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

/** Returns the kind of a file by its leading bytes; undefined if the file may contain messages. */
function fileKindOf(bytes: Uint8Array): string | undefined {
  const begin = Buffer.from(bytes.subarray(0, 512)).toString('latin1')
  return KINDS.find(([text, , at = 0]) => begin.startsWith(text, at))?.[1] ?? manifestIn(bytes)
}

/** Returns a hint if 32 bytes of binary payload key follow the message of a manifest. */
function manifestIn(bytes: Uint8Array): string | undefined {
  const end = bytes.indexOf(0x0a)
  const key = bytes.subarray(end + 1, end + 33)
  if (end < 0 || key.length < 32 || !isManifestMessage(bytes)) return undefined
  const isText = key.every((byte) => byte >= 0x20 && byte < 0x7f)
  return isText ? undefined : 'a manifest: alvarium check takes it as a file'
}
