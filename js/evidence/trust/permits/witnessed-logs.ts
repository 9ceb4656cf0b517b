import { toHex } from '../../../foundation/base/bytes/hex.js'
import { AlvariumError, readIfValid } from '../../../foundation/base/errors.js'
import { verifyTurns } from '../../../foundation/base/time/turns.js'
import { leafHash } from '../../../foundation/core/hashing.js'
import type { Bundle } from '../../../foundation/model/bundle.js'
import type { JudgedKeyring, LoggedMessages, SignedBy } from '../../../signing/keys/trust-policy.js'
import { readCheckpoint } from '../../logs/checkpoint.js'
import { originOf } from '../../logs/run-origin.js'
import type { ReadQuorum } from '../../witness/options.js'
import { WitnessedRuns } from '../../witness/witnessed-log.js'
import { earlier, logListOf, StatedLogs } from './stated-logs.js'

/**
 * Returns the logs that a quorum of witnesses has seen, by the key id of their signer (FORMAT.md, Witnesses). A
 * quorum counts as a receiver of the messages, because it is independent of the signers.
 *
 * @param checkpoints - checkpoints with verified signatures
 */
async function witnessedLogs(
  reader: ReadQuorum,
  checkpoints: readonly LoggedMessages[],
): Promise<ReadonlyMap<string, StatedLogs>> {
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
  return logs
}

/** Returns the time in milliseconds since 1970 by which a quorum had cosigned the note of a checkpoint. */
export function witnessedAt(reader: ReadQuorum, checkpoint: LoggedMessages): number | undefined {
  const runs = new WitnessedRuns(reader)
  addNote(runs, checkpoint)
  return witnessedIn(runs, checkpoint)
}

/** Adds the note of a checkpoint to `runs` if the note has the log, size and root of the verified checkpoint. */
function addNote(runs: WitnessedRuns, { note, signer, run, size, root }: LoggedMessages): void {
  if (note === undefined) return
  const read = readIfValid(() => readCheckpoint(note, undefined))
  const origin = originOf(signer, run)
  if (read?.origin === origin && read.size === size && read.root === root) runs.add(origin, note, read)
}

function witnessedIn(runs: WitnessedRuns, { signer, run, ...size }: LoggedMessages): number | undefined {
  const log = runs.get(originOf(signer, run))
  const seconds = log?.isContradicted === false ? log.seenAt(size) : undefined
  return seconds === undefined ? undefined : seconds * 1000
}

/** Returns whether a refusal is about time alone, so that proof of an earlier time may overturn it. */
export function isOfTime(refusal: unknown): boolean {
  return refusal instanceof AlvariumError && /^SIGNER_(?:EXPIRED|REVOKED)$/.test(refusal.code)
}

type PermitsOfCall = NonNullable<JudgedKeyring['judge']>

/** Returns a copy of a policy check that also permits late messages, by the time at which witnesses saw them. */
export async function withWitnesses(
  judge: PermitsOfCall,
  reader: ReadQuorum,
  checkpoints: readonly LoggedMessages[],
): Promise<PermitsOfCall> {
  const allLogs = await witnessedLogs(reader, checkpoints)
  return {
    bundles: (bundles, receivedAt, identityOf) => {
      try {
        return judge.bundles(bundles, receivedAt, identityOf)
      } catch (error) {
        const logs = isOfTime(error) ? allLogs.get((bundles[0] as Bundle).signer) : undefined
        const at = logs && identityOf && logs.statedAt(toHex(leafHash(identityOf())))
        if (at === undefined) throw error
        return asWitnessed(judge.bundles(bundles, earlier(receivedAt, at), identityOf))
      }
    },
    comparingSteps: (...given) => judge.comparingSteps(...given),
    annotation: (...given) => judge.annotation(...given),
    request: (...given) => judge.request(...given),
    checkpoint: (...given) => judge.checkpoint(...given),
    owner: (...given) => judge.owner(...given),
  }
}

/** Returns a copy of a verified signer, marked as in time because of witnesses: `time` is `witnessed`. */
export function asWitnessed(signedBy: SignedBy): SignedBy {
  return Object.freeze({ ...signedBy, time: 'witnessed' })
}
