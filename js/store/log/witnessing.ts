import { type LogCheckpoint, readCheckpoint } from '../../evidence/logs/checkpoint.js'
import { consistencyOf } from '../../evidence/logs/paths.js'
import { withLines } from '../../evidence/witness/lines.js'
import { AnswerLog, type AskedCheckpoint, LogWitnesses } from '../../evidence/witness/log-witnesses.js'
import type { AskedWitnesses } from '../../evidence/witness/options.js'
import type { Logger } from '../../foundation/base/logger.js'
import type { Database, Session } from '../database/database.js'
import { bytesIn } from '../rows/columns.js'
import { nodesIn } from './tiles.js'

/** Number of checkpoints read when a store is opened. They show which sizes each witness has seen. */
const KNOWN_NOTES = 16

/** Asks witnesses about the newest checkpoint in the background, and adds cosignatures to the stored note. */
export class StoreWitnesses {
  readonly #database: Database
  readonly #options: AskedWitnesses
  readonly #logger: Logger
  #panel: LogWitnesses | undefined
  #isDue = false
  #asking: Promise<void> | undefined
  readonly #answers: AnswerLog

  constructor(database: Database, options: AskedWitnesses, logger: Logger) {
    this.#database = database
    this.#options = options
    this.#logger = logger
    this.#answers = new AnswerLog(logger)
  }

  /** Asks the witnesses about the newest checkpoint in the background, now or after the request in progress. */
  look(): void {
    this.#isDue = true
    this.#asking ??= this.#askWhileDue().finally(() => {
      this.#asking = undefined
    })
  }

  async ask(): Promise<AskedCheckpoint> {
    await this.settled()
    return this.#ask()
  }

  async settled(): Promise<void> {
    while (this.#asking) await this.#asking
  }

  async #askWhileDue(): Promise<void> {
    while (this.#isDue) {
      this.#isDue = false
      await this.#ask().catch((err) =>
        this.#logger.warn({ err }, 'the witnesses of the log could not be asked'),
      )
    }
  }

  async #ask(): Promise<AskedCheckpoint> {
    const notes = await this.#database.read(newestNotes)
    this.#panel ??= new LogWitnesses(this.#options, 'log', notes)
    const { note, size, root } = notes[0] as LogCheckpoint
    const growthFrom = (from: number) =>
      this.#database.read((session) => consistencyOf(nodesIn(session), from, size))
    const askedCheckpoint = await this.#panel.ask({ note, size, root, growthFrom })
    const lines = askedCheckpoint.answers.flatMap(({ line }) => line ?? [])
    if (lines.length > 0) await this.#database.write((session) => keepLines(session, size, lines))
    this.#answers.add(askedCheckpoint.answers)
    return askedCheckpoint
  }
}

async function newestNotes(session: Session): Promise<LogCheckpoint[]> {
  const rows = await session.query(
    'select note from alvarium.checkpoint order by size desc limit $1::integer',
    [KNOWN_NOTES],
  )
  return rows.map((row) => readCheckpoint(new TextDecoder().decode(bytesIn(row, 'note')), undefined))
}

async function keepLines(session: Session, size: number, lines: readonly string[]): Promise<void> {
  const [row] = await session.query(
    'select note from alvarium.checkpoint where size = $1::bigint for update',
    [size],
  )
  if (!row) return
  const note = withLines(new TextDecoder().decode(bytesIn(row, 'note')), lines)
  await session.query('update alvarium.checkpoint set note = $2::bytea where size = $1::bigint', [
    size,
    new TextEncoder().encode(note),
  ])
}
