import { Grouping } from '../../foundation/base/bytes/join.js'
import { malformed } from '../../foundation/base/errors.js'
import { LONGEST_LINE, PART_BYTES } from './parts.js'

const NEWLINE = 0x0a
const RETURN = 0x0d
const SPACE = 0x20

/** Yields the lines of a part. Each ends with a line feed and is not empty. @throws AlvariumError `MESSAGE_MALFORMED` */
function* linesIn(name: string, content: Uint8Array): Generator<Uint8Array, void> {
  let from = 0
  for (let number = 1; from < content.length || number === 1; number++) {
    const end = content.indexOf(NEWLINE, from)
    const what = `a line of 1 to ${LONGEST_LINE} bytes, and a line feed, as line ${number}`
    if (end <= from || end - from > LONGEST_LINE) {
      throw malformed(name, what, end < 0 ? 'no line feed' : `${end - from} bytes`)
    }
    yield content.subarray(from, end)
    from = end + 1
  }
}

/**
 * Batch limits. Without them, a part of short lines would take a hundred times its size in memory, because each line has its own outcome.
 */
const TOGETHER = { count: 2_048, bytes: PART_BYTES }

/** Lines to verify in one call. */
export interface LineGroup {
  readonly lines: readonly Uint8Array[]
  /** Number of the first of these lines in the part, from 1. */
  readonly first: number
}

/** Yields the lines of a part in groups. @throws AlvariumError as {@link linesIn} */
export function* lineGroupsIn(name: string, content: Uint8Array): Generator<LineGroup, void> {
  const grouping = new Grouping(TOGETHER)
  let first = 1
  for (const line of linesIn(name, content)) {
    const lines = grouping.add(line)
    if (!lines) continue
    yield { lines, first }
    first += lines.length
  }
  yield { lines: grouping.take(), first }
}

/** Returns a message as one line. JSON has line ends only between tokens, where a space means the same. */
export function lineOf(message: Uint8Array): Uint8Array {
  if (!message.includes(NEWLINE) && !message.includes(RETURN)) return message
  return message.map((byte) => (byte === NEWLINE || byte === RETURN ? SPACE : byte))
}
