import type { Explanation } from 'alvarium-sdk/trust'
import type { VerifiedBundle } from 'alvarium-sdk/verify'
import { invalid } from '../fault.js'
import { leasesIn, openTrust, receivedAtOf } from '../keys/trusted.js'
import { messageOf } from '../messages/read.js'
import { EXIT, type ExitCode, type Run } from '../session.js'
import { bold, dim, green, padded, red, type Shown, shown } from '../terminal/shown.js'
import { leaseText } from '../verify/report.js'
import { genuineIn } from '../verify/verdict.js'
import { someOf } from './listed.js'

/** What `alvarium trust explain` can be asked for. */
interface ExplainOptions {
  readonly trust?: string
  readonly receivedAt?: string
  readonly leases?: readonly string[]
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
  const leases = options.leases && (await leasesIn(options.leases, input))
  // Verified by the keys alone: what the policy says of it is explained.
  const bundles = await genuineIn(await messageOf(source, input), { keyring: trust, leases })
  const explained: Explained[] = []
  for (const bundle of bundles) {
    explained.push({ bundle, explanation: await trust.explain(bundle, { receivedAt, leases }) })
  }
  for (const [at, one] of explained.entries()) {
    if (options.json) await out.json({ index: at, id: one.bundle.id, ...one.explanation })
    else for (const row of rowsOf(one, bundles.length > 1 ? at : undefined)) await out.line(row)
  }
  return exitOf(explained)
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

function findingRow(one: Finding): Shown {
  const whose = one.lease === undefined ? '' : 'by the lease: '
  return shown`  ${padded(one.field, WIDTH)}${one.value || '""'}  ${dim(whose)}${reasonOf(one)}`
}

function row(name: string, value: string): Shown {
  return shown`  ${padded(name, WIDTH)}${value}`
}

type Finding = Explanation['findings'][number]

function reasonOf({ isAllowed, by, allowed }: Finding): Shown {
  if (!isAllowed) return shown`${red('✗')} allowed: ${someOf(allowed ?? []) || 'none'}`
  if (by === undefined) return shown`${green('✓')} ${dim('no list: everything')}`
  return shown`${green('✓')} ${dim(shown`by ${by || '""'}`)}`
}
