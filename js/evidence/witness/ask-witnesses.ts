import * as v from 'valibot'
import { toBytes } from '../../foundation/base/bytes/hex.js'
import { expected, needs } from '../../foundation/base/errors.js'
import { readOptions, strict } from '../../foundation/base/options/schema.js'
import { readCheckpoint } from '../logs/checkpoint.js'
import { isHash } from '../logs/paths.js'
import { type AskedCheckpoint, LogWitnesses } from './log-witnesses.js'
import { type AskedWitnesses, askedMembers } from './options.js'

/** Witnesses to ask for cosignatures, and proofs of the log's growth for them. */
export interface AskWitnessesOptions extends AskedWitnesses {
  /**
   * Returns the path that proves the growth from `size` entries to the checkpoint (RFC 9162 §2.1.4.1), 64
   * hexadecimal digits per hash; undefined if you do not know the path. Without this function, a witness
   * signs only if it has seen no entries of the log, or exactly the size of the checkpoint.
   */
  readonly growthFrom?:
    | ((size: number) => PromiseLike<readonly string[] | undefined> | readonly string[] | undefined)
    | undefined
}

type GrowthFrom = NonNullable<AskWitnessesOptions['growthFrom']>

/** Valibot schema of {@link AskWitnessesOptions}. The guide's page of limits is generated from it. */
export const askSchema = strict({
  ...askedMembers,
  growthFrom: v.optional(v.custom<GrowthFrom>((value) => typeof value === 'function', 'a function')),
})

/**
 * Asks witnesses to cosign a checkpoint (C2SP tlog-witness), all at the same time. Failures of a witness do
 * not affect the others. Stores (`log.witnesses`) and SDKs have their own checkpoints cosigned without a call of
 * this function. For a note that someone sent you, the answers `ahead` and `forked` show that the log has further
 * entries, or different ones.
 *
 * @param note - a checkpoint of a log, signed by the log
 * @returns the note with the lines of the witnesses, and the answer of each witness, even of one whose line the
 * note already had
 * @throws AlvariumError `CONFIG_INVALID` naming the option, `MESSAGE_MALFORMED` for an invalid `note`
 *
 * @example
 * ```ts
 * import { askWitnesses, type WitnessAddress } from 'alvarium-sdk/witness'
 *
 * async function isNewest(note: string, witnesses: WitnessAddress[]) {
 *   const { answers } = await askWitnesses(note, { witnesses })
 *   for (const { outcome, says } of answers) if (outcome !== 'cosigned') console.log(says)
 *   return !answers.some(({ outcome }) => outcome === 'ahead' || outcome === 'forked')
 * }
 * ```
 */
export async function askWitnesses(note: string, options: AskWitnessesOptions): Promise<AskedCheckpoint> {
  const { growthFrom, witnesses, ...settings } = readOptions(askSchema, options, 'askWitnesses')
  if (!witnesses) throw needs('askWitnesses.witnesses', 'an array of witnesses')
  const { size, root } = readCheckpoint(note, undefined)
  const logWitnesses = new LogWitnesses({ witnesses, ...settings }, 'askWitnesses')
  return logWitnesses.askAll({ note, size, root, growthFrom: (from) => pathFrom(from, size, growthFrom) })
}

async function pathFrom(
  from: number,
  size: number,
  growthFrom: GrowthFrom | undefined,
): Promise<readonly Uint8Array[] | undefined> {
  if (from === 0 || from === size) return []
  const path = (await growthFrom?.(from))?.map(toBytes)
  if (path === undefined || path.every(isHash)) return path
  throw expected('CONFIG_INVALID', 'growthFrom', 'hashes of 64 hexadecimal digits', 'other texts')
}
