import * as v from 'valibot'
import { needs } from '../../foundation/base/errors.js'
import { readOptions, strict } from '../../foundation/base/options/schema.js'
import { readCheckpoint } from '../logs/checkpoint.js'
import { logVerifier } from '../logs/key.js'
import { quorumMembers, readQuorum, type WitnessQuorum } from './options.js'
import { WitnessedLog, type WitnessVerdict } from './witnessed-log.js'

/** Public keys of a log and of witnesses, and the quorum. */
export interface VerifyWitnessedOptions extends WitnessQuorum {
  /** Public key of the log, `origin+id+key`, such as `store.vkey`. */
  readonly vkey: string
}

/** Valibot schema of {@link VerifyWitnessedOptions}. */
export const verifySchema = strict({ vkey: v.string("a log's public key"), ...quorumMembers })

/**
 * Verifies which witnesses have seen a log, by the lines in its signed notes (C2SP tlog-cosignature). Pass
 * all notes that you have, to find forks of the log, and witnesses that contradict themselves.
 *
 * @param notes - one or more checkpoints of one log
 * @returns whether a quorum has seen the log, the largest size that a quorum has seen, and the time by which
 * a quorum had seen this size
 * @throws AlvariumError `CONFIG_INVALID` naming the option; `MESSAGE_MALFORMED`, `SIGNATURE_INVALID`
 *
 * @example
 * ```ts
 * import { verifyWitnessed } from 'alvarium-sdk/witness'
 *
 * function tell(note: string, vkey: string, witnesses: string[]) {
 *   const { outcome, says, needs } = verifyWitnessed(note, { vkey, witnesses, quorum: 2 })
 *   console.log(outcome, says) // holds seen by 2 of 3 witnesses by 2026-05-01T10:00:00Z
 *   if (needs !== undefined) console.log(needs)
 * }
 * ```
 */
export function verifyWitnessed(
  notes: string | readonly string[],
  options: VerifyWitnessedOptions,
): WitnessVerdict {
  const { vkey, witnesses, quorum } = readOptions(verifySchema, options, 'verifyWitnessed')
  if (!witnesses) throw needs('verifyWitnessed.witnesses', 'an array of witnesses')
  const verifier = logVerifier(vkey)
  const log = new WitnessedLog(readQuorum({ witnesses, quorum }, 'verifyWitnessed'))
  for (const note of typeof notes === 'string' ? [notes] : notes)
    log.add(note, readCheckpoint(note, verifier))
  return log.verdict()
}
