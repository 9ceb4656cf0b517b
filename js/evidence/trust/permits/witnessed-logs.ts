import { toHex } from '../../../foundation/base/bytes/hex.js'
import { AlvariumError, isVerdict } from '../../../foundation/base/errors.js'
import { verifyTurns } from '../../../foundation/base/time/turns.js'
import { leafHash } from '../../../foundation/core/hashing.js'
import type { Bundle } from '../../../foundation/model/bundle.js'
import type {
  IdentityOf,
  JudgedKeyring,
  LoggedMessages,
  SignedAnnotation,
  SignedBy,
} from '../../../signing/keys/trust-policy.js'
import { readCheckpoint } from '../../logs/checkpoint.js'
import { originOf } from '../../logs/run-origin.js'
import type { ReadQuorum } from '../../witness/options.js'
import { WitnessedRuns } from '../../witness/witnessed-log.js'
import { earlier, logListOf, StatedLogs } from './stated-logs.js'

/**
 * Messages in logs that a quorum of witnesses has seen, and the time by which the quorum had seen them (FORMAT.md,
 * Witnesses). A quorum counts as a receiver of the messages, because it is independent of the signers.
 */
export class WitnessedLogs {
  readonly #logs: ReadonlyMap<string, StatedLogs>

  private constructor(logs: ReadonlyMap<string, StatedLogs>) {
    this.#logs = logs
  }

  /** Reads checkpoints, and yields to the event loop. @param checkpoints - checkpoints with verified signatures */
  static async read(reader: ReadQuorum, checkpoints: readonly LoggedMessages[]): Promise<WitnessedLogs> {
    const logs = new Map<string, StatedLogs>()
    const runs = new WitnessedRuns(reader)
    for (const checkpoint of checkpoints) {
      await verifyTurns.yieldIfDueLong()
      const list = logListOf(checkpoint)
      const keyLogs = logs.get(checkpoint.signer) ?? new StatedLogs()
      logs.set(checkpoint.signer, keyLogs)
      if (list) keyLogs.add(list)
      addNote(runs, checkpoint)
    }
    for (const checkpoint of checkpoints) {
      await verifyTurns.yieldIfDueLong()
      const at = witnessedIn(runs, checkpoint)
      if (at !== undefined) logs.get(checkpoint.signer)?.prove(checkpoint, at)
    }
    return new WitnessedLogs(logs)
  }

  /** Returns the time by which a quorum had seen a message, in milliseconds since 1970; undefined without a quorum. */
  messageSeenAt(keyId: string, identityOf: IdentityOf | undefined): number | undefined {
    const logs = this.#logs.get(keyId)
    return logs && identityOf && logs.statedAt(toHex(leafHash(identityOf())))
  }
}

/** Returns the time in milliseconds since 1970 by which a quorum had cosigned the note of a checkpoint. */
export function witnessedAt(reader: ReadQuorum, checkpoint: LoggedMessages): number | undefined {
  const runs = new WitnessedRuns(reader)
  addNote(runs, checkpoint)
  return witnessedIn(runs, checkpoint)
}

/**
 * Adds the note of a checkpoint to `runs` if the note has the log, size and root of the verified checkpoint.
 */
function addNote(runs: WitnessedRuns, { note, signer, run, size, root }: LoggedMessages): void {
  const read = note === undefined ? undefined : readIfGood(note)
  const origin = originOf(signer, run)
  if (note === undefined || read?.origin !== origin || read.size !== size || read.root !== root) return
  runs.add(origin, note, read)
}

function witnessedIn(runs: WitnessedRuns, { signer, run, ...size }: LoggedMessages): number | undefined {
  const log = runs.get(originOf(signer, run))
  const seconds = log?.isContradicted === false ? log.seenAt(size) : undefined
  return seconds === undefined ? undefined : seconds * 1000
}

function readIfGood(note: string) {
  try {
    return readCheckpoint(note, undefined)
  } catch (error) {
    if (isVerdict(error)) return undefined
    throw error
  }
}

/** Returns whether a refusal is about time alone, so that proof of an earlier time may overturn it. */
export function isOfTime(refusal: unknown): boolean {
  return refusal instanceof AlvariumError && /^SIGNER_(?:EXPIRED|REVOKED)$/.test(refusal.code)
}

type PermitsOfCall = NonNullable<JudgedKeyring['judge']>

/** Policy check that wraps another one, and also permits late messages by the time at which witnesses saw them. */
export class WitnessPermits implements PermitsOfCall {
  readonly #judge: PermitsOfCall
  readonly #logs: WitnessedLogs

  constructor(judge: PermitsOfCall, logs: WitnessedLogs) {
    this.#judge = judge
    this.#logs = logs
  }

  bundles(bundles: readonly Bundle[], receivedAt: number | undefined, identityOf?: IdentityOf): SignedBy {
    try {
      return this.#judge.bundles(bundles, receivedAt, identityOf)
    } catch (error) {
      const { signer } = bundles[0] as Bundle
      const at = isOfTime(error) ? this.#logs.messageSeenAt(signer, identityOf) : undefined
      if (at === undefined) throw error
      return asWitnessed(this.#judge.bundles(bundles, earlier(receivedAt, at), identityOf))
    }
  }

  comparingSteps(bundles: readonly Bundle[]): Generator<void, void> {
    return this.#judge.comparingSteps(bundles)
  }

  annotation(keyId: string, annotation: SignedAnnotation, receivedAt: number | undefined): SignedBy {
    return this.#judge.annotation(keyId, annotation, receivedAt)
  }

  request(keyId: string, signedAt: number | undefined, receivedAt: number): SignedBy {
    return this.#judge.request(keyId, signedAt, receivedAt)
  }

  checkpoint(checkpoint: LoggedMessages, signedAt: number, receivedAt: number | undefined): SignedBy {
    return this.#judge.checkpoint(checkpoint, signedAt, receivedAt)
  }

  owner(keyId: string, receivedAt: number | undefined): SignedBy {
    return this.#judge.owner(keyId, receivedAt)
  }
}

/** Returns a copy of a verified signer, marked as in time because of witnesses: `time` is `witnessed`. */
export function asWitnessed(signedBy: SignedBy): SignedBy {
  return Object.freeze({ ...signedBy, time: 'witnessed' })
}
