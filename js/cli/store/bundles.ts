import type { BundleFilter, Page, PageOptions, Store } from 'alvarium-sdk/store'
import { needs } from '../../foundation/base/errors.js'
import { timeIn } from '../input/time.js'
import { EXIT, type ExitCode, type Session } from '../session.js'
import { showWaiting } from '../terminal/progress.js'
import { dim, safeText } from '../terminal/safe-text.js'
import { type DatabaseOptions, storeAt } from './database.js'
import { bundleRow } from './report.js'
import { addRefused, type TrustArgument, trustIn, trustRows } from './trust-argument.js'

export interface PageArguments extends DatabaseOptions, TrustArgument {
  readonly limit: number
  readonly all?: boolean
  readonly after?: string
}

/** Maximum number of bundles per query. Other clients can use the store between two queries. */
const PAGE = 1_000

/**
 * Shows bundles up to the limit. If there are more, then prints the `--after` option that continues with them.
 *
 * @param note - prints a note after the last page, about bundles that the query does not find
 */
export async function showPages(
  options: PageArguments,
  session: Session,
  ask: (store: Store, page: PageOptions) => Promise<Page>,
  note: (store: Store) => Promise<void> = async () => undefined,
): Promise<ExitCode> {
  const { all = false } = options
  const { out, err, interrupted } = session
  const trust = await trustIn(options, session)
  await using store = await storeAt(options, session)
  let [left, after, isEmpty] = [all ? Number.POSITIVE_INFINITY : options.limit, options.after, true]
  let applied: Page['trust']
  do {
    const page = { limit: Math.min(left, PAGE), after, trust }
    const found = await showWaiting(session, 'asking the store', () => ask(store, page))
    for (const bundle of found.bundles) await out.show(options.json, bundle, () => [bundleRow(bundle)])
    if (found.trust) applied = addRefused(applied, found.trust)
    isEmpty &&= found.bundles.length === 0
    left -= found.bundles.length
    after = found.next
  } while (after !== undefined && left > 0 && !interrupted.aborted)
  if (after !== undefined) await err.line(dim(safeText`there are more: --after ${after}, or --all`))
  await err.lines(trustRows(options, applied))
  if (interrupted.aborted) return EXIT.interrupted
  await note(store)
  if (!isEmpty) return EXIT.yes
  await err.undecided('there is no such bundle')
  return EXIT.unknown
}

export interface FilterArguments {
  readonly signer?: string
  readonly host?: string
  readonly kind?: string
  readonly tag?: string
  readonly from?: string
  readonly until?: string
  readonly receivedFrom?: string
  readonly receivedUntil?: string
  readonly receivedUnknown?: boolean
}

export function filterIn({
  signer,
  host,
  kind,
  tag,
  from,
  until,
  receivedFrom,
  receivedUntil,
  receivedUnknown = false,
}: FilterArguments): BundleFilter {
  const spans = {
    at: spanIn(['--from', from], ['--until', until]),
    received: receivedUnknown
      ? ('unknown' as const)
      : spanIn(['--received-from', receivedFrom], ['--received-until', receivedUntil]),
  }
  const given = Object.entries({ signer, host, kind, tag, ...spans }).filter(([, one]) => one !== undefined)
  if (given.length > 0) return Object.fromEntries(given)
  const others =
    '--signer, --kind, --tag, --from, --until, --received-from, --received-until and --received-unknown'
  throw needs('--host', `a host, or one of ${others}`)
}

type TimeOption = readonly [option: string, text: string | undefined]

function spanIn(from: TimeOption, until: TimeOption) {
  const span = { from: timeIn(...from)?.ms, until: timeIn(...until)?.ms }
  return span.from === undefined && span.until === undefined ? undefined : span
}
