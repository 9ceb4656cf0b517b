import { keyOf } from 'alvarium-sdk'
import type { SignedRecord, SourceRecord } from 'alvarium-sdk/records'
import { openAsSource } from 'alvarium-sdk/sources/node'
import type { LongRecord } from '../../evidence/records/found-records.js'
import { readRecordGroups } from '../../evidence/records/read.js'
import { AlvariumError } from '../../foundation/base/errors.js'
import { Refusals } from '../audit/refusals.js'
import { Unreadable } from '../input/files.js'
import { type FormatOptions, formOf, isParquet, parquetIn, recordBytes } from '../input/payloads.js'
import { countBytes, MAX_IN_MEMORY, sourcesOf } from '../input/source.js'
import type { ControlReader } from '../messages/control-reader.js'
import { ForeignMessages } from '../messages/foreign.js'
import { messagesOf } from '../messages/read.js'
import type { Session } from '../session.js'
import { safeText } from '../terminal/safe-text.js'
import { count } from '../terminal/words.js'
import type { SignedSource } from './signed-source.js'

/** Messages that the records of a file are compared with. Remembers the file and line of each message. */
export class CheckMessages implements SignedSource {
  readonly name = 'messages'
  readonly isWhole = false
  readonly #sources: readonly string[]
  readonly #session: Session
  readonly #controls: ControlReader
  readonly #addBytes: (bytes: number) => void
  readonly #places = new Places()
  readonly refusals: Refusals
  readonly foreign = new ForeignMessages()

  constructor(
    sources: readonly string[],
    session: Session,
    controls: ControlReader,
    addBytes: (bytes: number) => void,
  ) {
    this.#sources = sources
    this.#controls = controls
    this.#session = session
    this.#addBytes = addBytes
    this.refusals = new Refusals(session, MAX_ROWS)
  }

  async *read(): AsyncGenerator<Uint8Array, void> {
    for await (const found of messagesOf(this.#sources, this.#session.input, this.#addBytes)) {
      const { messages } = await this.#controls.partsOf(found)
      for (const { place, message } of messages) {
        if (message instanceof AlvariumError) {
          await this.refusals.add(place, message)
          continue
        }
        if (this.foreign.take(message)) continue
        this.#places.add(place)
        yield message
      }
    }
  }

  placeOf({ message }: Pick<SignedRecord, 'message'>): string {
    return this.#places.at(message - 1)
  }

  async end(): Promise<void> {
    const { rest } = this.refusals
    if (rest > 0) await this.#session.err.line(safeText`  ${count(rest)} more: alvarium verify shows all`)
    await this.foreign.tell(this.#session, 'not compared: check compares bundles')
  }
}

export const MAX_ROWS = 1_000

/** Compact list of places such as `messages.jsonl:7`. One string per place would need as much memory as the records. */
class Places {
  readonly #names: string[] = []
  readonly #lines: string[] = []

  add(place: string): void {
    const [, name = place, line = ''] = /^(.*)(:\d+)$/s.exec(place) ?? []
    const last = this.#names.at(-1)
    // Reuse the previous string, because a slice keeps the whole original string in memory.
    this.#names.push(last === name ? last : name)
    this.#lines.push(line)
  }

  at(index: number): string {
    return `${this.#names[index]}${this.#lines[index]}`
  }
}

interface RecordArguments extends FormatOptions {
  readonly by?: string
}

export async function* recordsOf(
  data: string,
  options: RecordArguments,
  session: Session,
  addBytes?: (bytes: number) => void,
): AsyncGenerator<SourceRecord | LongRecord, void> {
  for await (const group of recordGroupsOf(data, options, session, addBytes)) {
    if ('keyFor' in group) yield group
    else for (const record of group) yield record
  }
}

/**
 * Reads the records of a file, or of all files in a folder, in groups. A file that is one long record is
 * hashed while it is read.
 *
 * @throws AlvariumError `FILE_UNREADABLE` when a file cannot be read, because its records could be altered;
 * `PAYLOAD_INVALID` when a file's records cannot be parsed
 */
export async function* recordGroupsOf(
  data: string,
  { by, ...options }: RecordArguments,
  { input }: Session,
  addBytes: (bytes: number) => void = () => {},
): AsyncGenerator<readonly SourceRecord[] | LongRecord, void> {
  const { interrupted: signal } = input
  for await (const source of sourcesOf(data, input)) {
    if (source instanceof Unreadable) throw source
    const { name, size = 0 } = source
    const form = formOf(source, options)
    if (isParquet(form)) {
      yield* parquetIn(countBytes(source, addBytes), form, by)
      continue
    }
    const recordOptions = { ...form, name, by }
    const isLong = recordOptions.format === 'whole' && size > MAX_IN_MEMORY && by === undefined
    if (!isLong)
      yield* readRecordGroups(recordBytes(countBytes(source, addBytes), recordOptions), recordOptions)
    else yield longRecord(name, addBytes, signal)
  }
}

/** Returns a record that consists of a whole file. The file is hashed while it is read. */
function longRecord(name: string, addBytes: (bytes: number) => void, signal: AbortSignal): LongRecord {
  let before = 0
  const onProgress = ({ bytes }: { readonly bytes: number }) => {
    addBytes(bytes - before)
    before = bytes
  }
  return {
    name,
    number: 1,
    keyFor: async (hash) => keyOf(await openAsSource(name), hash, { signal, onProgress }),
  }
}
