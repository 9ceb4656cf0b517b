import * as v from 'valibot'
import { needs } from '../../foundation/base/errors.js'
import { readOptions, strict } from '../../foundation/base/options/schema.js'
import { readCheckpoint } from '../logs/checkpoint.js'
import { logVerifier } from '../logs/key.js'
import { quorumMembers, readQuorum, type WitnessQuorum } from './options.js'
import { WitnessedLog, type WitnessVerdict } from './witnessed-log.js'

/** The keys by which notes are judged. */
export interface VerifyWitnessedOptions extends WitnessQuorum {
  /** The public key of the log: `origin+id+key`, as `store.vkey` has it. */
  readonly vkey: string
}

/** The page of limits shows it. */
export const verifySchema = strict({ vkey: v.string("a log's public key"), ...quorumMembers })

/**
 * Judges which witnesses have seen a log, by the lines in its signed notes (C2SP tlog-cosignature). Give all notes of the log that you have: then a log that
 * has forked at one size is named, and a witness that has signed two logs of one size, or a smaller log after a larger one.
 *
 * @param notes - one or more checkpoints of one log
 * @returns whether a quorum has seen the largest of them, and by when
 * @throws AlvariumError `CONFIG_INVALID` naming the option; `MESSAGE_MALFORMED` or `SIGNATURE_INVALID` for a note that the log did not sign
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
