import { describe } from '../../foundation/base/errors.js'
import { verifyTurns } from '../../foundation/base/time/turns.js'
import type { LeaseKeyring, LoggedMessages } from '../../signing/keys/trust-policy.js'
import { statingOf } from './judged-lease-key.js'
import { LeaseJudge } from './lease-judge.js'
import type { LeasedKeys } from './lease-verifier.js'
import { listedLog, StatedLogs } from './stated-logs.js'

/** Logs of the last call with a set of leases: the next message often comes with the same checkpoints. */
const logsOf = new WeakMap<
  LeaseKeyring,
  { readonly of: readonly LoggedMessages[]; readonly judge: LeaseJudge }
>()

/**
 * Returns the same leases, with the logs that they state.
 *
 * @throws TypeError for anything but a verified checkpoint, such as its message: it would silently prove nothing
 */
export async function withLogs(
  leased: LeasedKeys,
  checkpoints: readonly LoggedMessages[],
): Promise<LeasedKeys> {
  if (checkpoints.length === 0) return leased
  const known = logsOf.get(leased)
  const isSame =
    known?.of.length === checkpoints.length && known.of.every((one, at) => one === checkpoints[at])
  if (known && isSame) return { ...leased, judge: known.judge }
  const logs = new Map<string, StatedLogs>()
  for (const [keyId, keys] of leased.keys) {
    const stating = statingOf(keys)
    if (stating.length === 0) continue
    const own = new StatedLogs()
    own.state(stating)
    logs.set(keyId, own)
  }
  for (const checkpoint of checkpoints) {
    await verifyTurns.takeLong()
    if (typeof checkpoint?.root !== 'string') {
      throw new TypeError(`checkpoints: expected verified checkpoints, got ${describe(checkpoint)}`)
    }
    const log = listedLog(checkpoint)
    if (log) logs.get(checkpoint.signer)?.add(log)
  }
  const judge = new LeaseJudge(leased.keys, logs)
  logsOf.set(leased, { of: [...checkpoints], judge })
  return { ...leased, judge }
}
