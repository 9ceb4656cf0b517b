import type { VerifiedCheckpoint } from 'alvarium-sdk/completeness'
import type { PackSubject } from 'alvarium-sdk/packs'
import { verifyReceivedCheckpoint } from '../../evidence/completeness/checkpoint/verify-checkpoint.js'
import { signerNameOf } from '../../evidence/completeness/key-owner.js'
import { AlvariumError, needs } from '../../foundation/base/errors.js'
import { invalid } from '../fault.js'
import { timeIn } from '../input/time.js'
import type { VerifyContext } from '../verify/verdict.js'

export interface SpanOptions {
  /** Name of a signer in the trust policy, or a key id. */
  readonly signer?: string
  readonly from?: string
  readonly until?: string
}

/**
 * Returns the subject of a pack with everything that one signer signed in the period of its checkpoints, or
 * from `--from` until `--until`.
 */
export async function spanIn(
  messages: readonly Uint8Array[],
  { signer, from, until }: SpanOptions,
  trust: VerifyContext,
): Promise<PackSubject> {
  const checkpoints = await verifiedOf(messages, trust)
  const signers = new Map(checkpoints.map((one) => [signerNameOf(one).signer, signerNameOf(one).name]))
  const named = [...signers].filter(([id, name]) => signer === undefined || signer === id || signer === name)
  const [only, ...others] = named.map(([id]) => id)
  if (only === undefined)
    throw needs('--log', 'a checkpoint that verifies (a checkpoint of --signer, if that option is given)')
  if (others.length > 0) {
    const several = named.map(([id, name]) => name ?? id).join(', ')
    throw invalid(
      '--log',
      'checkpoints of one signer (choose the signer with --signer)',
      `checkpoints of ${several}`,
    )
  }
  const signerCheckpoints = checkpoints.filter((one) => signerNameOf(one).signer === only)
  // Do not spread into `Math.min`, because engines limit the number of arguments.
  const first = signerCheckpoints.reduce(
    (least, one) => (one.from.at < least ? one.from.at : least),
    signerCheckpoints[0]?.from.at ?? '',
  )
  const last = signerCheckpoints.reduce((max, { at }) => (at > max ? at : max), '')
  const span = { from: stampIn('--from', from) ?? first, until: stampIn('--until', until) ?? last }
  if (span.from > span.until) throw invalid('--until', `a time not before ${span.from}`, span.until)
  return { signer: { id: only, ...span } }
}

/** Returns the checkpoints that verify. The pack reports all others as messages that did not verify. */
async function verifiedOf(
  messages: readonly Uint8Array[],
  trust: VerifyContext,
): Promise<VerifiedCheckpoint[]> {
  const verified: VerifiedCheckpoint[] = []
  for (const message of messages) {
    try {
      verified.push(await verifyReceivedCheckpoint(message, trust))
    } catch (error) {
      if (!(error instanceof AlvariumError)) throw error
    }
  }
  return verified
}

/** Converts a time to the format of checkpoints: UTC with microseconds. */
function stampIn(option: string, text: string | undefined): string | undefined {
  const instant = timeIn(option, text)
  if (!instant) return undefined
  const micros = (((instant.ns % 1_000_000_000n) + 1_000_000_000n) % 1_000_000_000n) / 1_000n
  return `${instant.second}.${String(micros).padStart(6, '0')}Z`
}
