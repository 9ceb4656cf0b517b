import type { Explanation, Trust } from 'alvarium-sdk/trust'
import { type VerifiedBundle, verifyBatch } from 'alvarium-sdk/verify'
import { TRUST } from '../../keys/trust-policy.js'
import { invalid } from '../fault.js'
import { openTrust, receivedAtOf } from '../keys/trusted.js'
import { messageOf } from '../messages/read.js'
import { EXIT, type ExitCode, type Run } from '../session.js'
import { bold, dim, green, padded, red, type Shown, shown } from '../terminal/shown.js'
import { someOf } from './listed.js'

/** What `alvarium trust explain` can be asked for. */
interface ExplainOptions {
  readonly trust?: string
  readonly receivedAt?: string
  readonly json?: boolean
}

/** A bundle, and what the policy says of it. */
interface Explained {
  readonly bundle: VerifiedBundle
  readonly explanation: Explanation
}

export const run: Run<ExplainOptions> = async ([source = '-'], options, { out, input }) => {
  if (options.trust === undefined) throw invalid('--trust', 'the file of a trust policy', 'none')
  const trust = await openTrust(options.trust)
  const receivedAt = receivedAtOf(options.receivedAt)
  const bundles = await bundlesIn(await messageOf(source, input), trust)
  const explained = bundles.map((bundle) => ({ bundle, explanation: trust.explain(bundle, { receivedAt }) }))
  for (const [at, one] of explained.entries()) {
    if (options.json) await out.json({ index: at, id: one.bundle.id, ...one.explanation })
    else for (const row of rowsOf(one, bundles.length > 1 ? at : undefined)) await out.line(row)
  }
  return exitOf(explained)
}

/** Verified by the policy's keys alone: what it says of them is explained. */
async function bundlesIn(message: Uint8Array, trust: Trust): Promise<VerifiedBundle[]> {
  return verifyBatch(message, { keyring: trust[TRUST].keyring })
}

function exitOf(explained: readonly Explained[]): ExitCode {
  return explained.every(({ explanation }) => explanation.verdict === 'ACCEPTED') ? EXIT.yes : EXIT.no
}

function rowsOf({ bundle, explanation }: Explained, at: number | undefined): Shown[] {
  const { verdict, why, signedBy, times = {}, findings } = explanation
  const mark = verdict === 'ACCEPTED' ? green('✓ accepted') : shown`${red('✗')} ${bold(verdict)}`
  return [
    shown`${at === undefined ? '' : `bundle ${at}: `}${mark}${why === undefined ? '' : `  ${why}`}`,
    row('signer', `${signedBy?.name ?? '?'}, key ${bundle.signer}`),
    row('time', bundle.timestamp),
    row(
      'judged by',
      signedBy?.time === 'received'
        ? 'when it came'
        : "the signer's own time (--received-at says when it came)",
    ),
    ...Object.entries(times).map(([name, value]) => row(TIMES[name] ?? name, String(value))),
    ...findings.map((one) => shown`  ${padded(one.field, WIDTH)}${one.value || '""'}  ${reasonOf(one)}`),
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

function row(name: string, value: string): Shown {
  return shown`  ${padded(name, WIDTH)}${value}`
}

function reasonOf({ isAllowed, by, allowed }: Explanation['findings'][number]): Shown {
  if (!isAllowed) return shown`${red('✗')} allowed: ${someOf(allowed ?? []) || 'none'}`
  if (by === undefined) return shown`${green('✓')} ${dim('no list: everything')}`
  return shown`${green('✓')} ${dim(shown`by ${by || '""'}`)}`
}
