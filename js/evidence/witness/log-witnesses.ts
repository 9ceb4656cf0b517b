import type { Logger } from '../../foundation/base/logger.js'
import { readNote } from '../logs/note.js'
import { ownNote, withLines } from './lines.js'
import { type AskedWitnesses, type ReadQuorum, readQuorum } from './options.js'
import { type CheckpointToCosign, type WitnessAnswer, WitnessClient } from './witness-client.js'
import { WitnessedLog, type WitnessVerdict } from './witnessed-log.js'

/** A checkpoint, with the answers of the witnesses that were asked to cosign it. */
export interface AskedCheckpoint {
  /** The signed note, with the signature lines of witnesses. */
  readonly note: string
  /** Answers of the witnesses that were asked, in the order of the options. */
  readonly answers: readonly WitnessAnswer[]
  /** Verdict: states whether a quorum of witnesses has seen the checkpoint. */
  readonly witnessed: WitnessVerdict
}

/** Witnesses of one log, which are asked at the same time, with the size that each witness has signed. */
export class LogWitnesses {
  readonly quorum: ReadQuorum
  readonly #members: readonly WitnessClient[]

  /** @param notes - earlier checkpoints of the log: their lines show the size that each witness has signed */
  constructor(
    { witnesses, quorum, witnessTimeoutMs: timeoutMs = 5_000 }: AskedWitnesses,
    field: string,
    notes: readonly KnownNote[] = [],
  ) {
    this.quorum = readQuorum({ witnesses, quorum }, field)
    this.#members = this.quorum.witnesses.map((verifier, at) => {
      const size = notes.reduce(
        (max, one) => (hasLineOf(one.note, verifier) ? Math.max(max, one.size) : max),
        0,
      )
      return new WitnessClient(verifier, witnesses[at]?.url ?? '', timeoutMs, size)
    })
  }

  get minSize(): number {
    return Math.min(...this.#members.map(({ size }) => size))
  }

  ask(checkpoint: CheckpointToCosign): Promise<AskedCheckpoint> {
    return this.#ask(checkpoint, this.#withoutLine(checkpoint))
  }

  /** Asks every witness, because one that has signed the note may have seen further entries since. */
  askAll(checkpoint: CheckpointToCosign): Promise<AskedCheckpoint> {
    return this.#ask(checkpoint, this.#members)
  }

  #withoutLine({ note }: CheckpointToCosign): WitnessClient[] {
    return this.#members.filter(({ verifier }) => !hasLineOf(note, verifier))
  }

  async #ask(checkpoint: CheckpointToCosign, asked: readonly WitnessClient[]): Promise<AskedCheckpoint> {
    const unsigned = this.#withoutLine(checkpoint)
    const bare = { ...checkpoint, note: ownNote(checkpoint.note) }
    const answers = await Promise.all(asked.map((one) => one.ask(bare)))
    // If the note already has a line of a witness, keep this line, because its time is earlier.
    const lines = answers.flatMap(({ line }, at) =>
      line !== undefined && unsigned.includes(asked[at] as WitnessClient) ? [line] : [],
    )
    const note = withLines(checkpoint.note, lines)
    const log = new WitnessedLog(this.quorum)
    log.add(note, checkpoint)
    return { note, answers, witnessed: log.verdict() }
  }
}

interface KnownNote {
  readonly note: string
  readonly size: number
}

/** Returns whether a note has a signature with the name and key id of a witness. Nothing is verified. */
function hasLineOf(note: string, { name, keyId }: ReadQuorum['witnesses'][number]): boolean {
  return readNote(note).signatures.some((one) => one.name === name && one.keyId === keyId)
}

/**
 * Writer that passes a witness's answer to the logger, but only if its outcome differs from that of the last
 * answer. A silent witness thus causes a single line.
 */
export class AnswerLog {
  readonly #logger: Logger
  readonly #outcomes = new Map<string, WitnessAnswer['outcome']>()

  constructor(logger: Logger) {
    this.#logger = logger
  }

  add(answers: readonly WitnessAnswer[]): void {
    for (const { name, outcome, says } of answers) {
      if (this.#outcomes.get(name) === outcome) continue
      this.#outcomes.set(name, outcome)
      if (outcome === 'cosigned') this.#logger.info({ witness: name }, 'a witness signs the log')
      else if (outcome === 'away') this.#logger.warn({ witness: name }, says)
      else this.#logger.error({ witness: name, outcome }, says)
    }
  }
}
