import type { Explanation } from 'alvarium-sdk/trust'
import { AlvariumError, type ErrorCode, type VerifiedBundle } from 'alvarium-sdk/verify'
import { needs } from '../../foundation/base/errors.js'
import { type Judged, type Outcome, outcomeOfCode, worstOf } from '../../foundation/model/outcome.js'
import { timeIn } from '../input/time.js'
import { leasesIn, openTrust } from '../keys/trusted.js'
import { messageOf } from '../messages/read.js'
import type { Run, Session } from '../session.js'
import { conclude, MARKS, NEEDS } from '../terminal/outcome.js'
import { bold, dim, padText, type SafeText, safeText } from '../terminal/safe-text.js'
import { count, countOf } from '../terminal/words.js'
import { assertNotLater } from '../verify/received.js'
import { leaseText } from '../verify/report.js'
import { genuineIn } from '../verify/verdict.js'
import { joinFirst } from './notes.js'

interface ExplainOptions {
  readonly trust?: string
  readonly receivedAt?: string
  readonly leases?: readonly string[]
  readonly json?: boolean
}

interface ExplainedBundle {
  readonly bundle: VerifiedBundle
  readonly explanation: Explanation
}

export const run: Run<ExplainOptions> = async ([source = '-'], options, session) => {
  const { out, input } = session
  if (options.trust === undefined) throw needs('--trust', 'the file of a trust policy')
  const trust = await openTrust(options.trust, session.err)
  const receivedAt = timeIn('--received-at', options.receivedAt)?.ms
  const leases = options.leases && (await leasesIn(options.leases, input))
  const message = await messageOf(source, input)
  const explained: ExplainedBundle[] = []
  try {
    // Verify the signature only, because the policy's decision is explained below, not enforced.
    for (const bundle of await genuineIn(message, { keyring: trust, leases })) {
      assertNotLater(receivedAt, [bundle])
      explained.push({ bundle, explanation: await trust.explain(bundle, { receivedAt, leases }) })
    }
  } catch (error) {
    if (!(error instanceof AlvariumError && WITHOUT_POLICY.includes(error.code))) throw error
    return reportUnverified(error, options, session)
  }
  for (const [at, one] of explained.entries()) {
    const json = { index: at, id: one.bundle.id, ...one.explanation }
    await out.show(options.json, json, () => explanationRows(one, explained.length > 1 ? at : undefined))
  }
  return conclude(judgedOf(explained), options, session)
}

/** Error codes of messages for which the policy was not evaluated. */
const WITHOUT_POLICY: readonly ErrorCode[] = ['SIGNER_UNKNOWN', 'SIGNATURE_INVALID']

async function reportUnverified({ code, message }: AlvariumError, options: ExplainOptions, session: Session) {
  const outcome = outcomeOfCode(code)
  const needs = outcome === 'cannot tell' ? NEEDS.signer : undefined
  const says = 'the signature does not verify, so the policy was not asked'
  const row = safeText`${MARKS[outcome]} ${bold(code)}  ${message}`
  await session.out.show(options.json, { verdict: code, why: message, outcome, needs }, () => [row])
  return conclude({ outcome, says, needs }, options, session)
}

function judgedOf(explained: readonly ExplainedBundle[]): Judged {
  const outcomes = explained.map(({ explanation }) => outcomeOf(explanation))
  const outcome = worstOf(outcomes)
  const allowed = outcomes.filter((one) => one === 'holds').length
  const says = `${countOf(explained.length, 'bundle')}: ${count(allowed)} verified`
  const refused = explained.length - allowed
  const rest = refused > 0 ? `, ${count(refused)} refused` : ''
  return { outcome, says: `${says}${rest}`, needs: outcome === 'cannot tell' ? NEEDS.signer : undefined }
}

function outcomeOf({ verdict }: Explanation): Outcome {
  return verdict === 'ACCEPTED' ? 'holds' : outcomeOfCode(verdict)
}

function explanationRows({ bundle, explanation }: ExplainedBundle, at: number | undefined): SafeText[] {
  const { verdict, why, signedBy, times = {}, findings } = explanation
  const outcome = outcomeOf(explanation)
  const word = verdict === 'ACCEPTED' ? 'verified' : bold(verdict)
  return [
    safeText`${at === undefined ? '' : `bundle ${at}: `}${MARKS[outcome]} ${word}${why === undefined ? '' : `  ${why}`}`,
    row('signer', `${signedBy?.name ?? '?'}, key ${bundle.signer}`),
    ...(signedBy?.lease ? [row('by lease', leaseText(signedBy.lease))] : []),
    row('time', bundle.timestamp),
    row(
      'judged by',
      signedBy?.time === 'received'
        ? 'when it came'
        : "the signer's own time (--received-at says when it came)",
    ),
    ...Object.entries(times).map(([name, value]) => row(TIMES[name] ?? name, String(value))),
    ...findings.map(findingRow),
  ]
}

const WIDTH = 22
const TIMES: Readonly<Record<string, string>> = {
  from: 'may sign from',
  until: 'may sign until',
  acceptedUntil: 'accepted until',
  revokedSince: 'revoked since',
  revokedWhy: 'because',
}

function findingRow(one: Finding): SafeText {
  const prefix = one.lease === undefined ? '' : 'by the lease: '
  return safeText`  ${padText(one.field, WIDTH)}${one.value || '""'}  ${dim(prefix)}${reasonOf(one)}`
}

function row(name: string, value: string): SafeText {
  return safeText`  ${padText(name, WIDTH)}${value}`
}

type Finding = Explanation['findings'][number]

function reasonOf({ isAllowed, by, allowed }: Finding): SafeText {
  if (!isAllowed) return safeText`${MARKS['does not hold']} allowed: ${joinFirst(allowed ?? []) || 'none'}`
  if (by === undefined) return safeText`${MARKS.holds} ${dim('no list: everything')}`
  return safeText`${MARKS.holds} ${dim(safeText`by ${by || '""'}`)}`
}
