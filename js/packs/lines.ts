import { Grouping } from '../base/bytes/join.js'
import { malformed } from '../base/errors.js'
import { LONGEST_LINE, PART_BYTES } from './parts.js'

const NEWLINE = 0x0a
const RETURN = 0x0d
const SPACE = 0x20

/** The lines of a part. Each ends with a line feed, and has something in it. @throws AlvariumError `MESSAGE_MALFORMED` */
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

/** Judged together, a part of short lines would take a hundred times its memory, as each line has its own outcome. */
const TOGETHER = { count: 2_048, bytes: PART_BYTES }

/** Lines that are judged together. */
export interface LineGroup {
  readonly lines: readonly Uint8Array[]
  /** Which line of the part is the first of them, from 1. */
  readonly first: number
}

/** The lines of a part in groups. @throws AlvariumError as {@link linesIn} */
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

/** A message as a line: JSON has line ends between its tokens alone, where a space says the same. */
export function lineOf(message: Uint8Array): Uint8Array {
  if (!message.includes(NEWLINE) && !message.includes(RETURN)) return message
  return message.map((byte) => (byte === NEWLINE || byte === RETURN ? SPACE : byte))
}
