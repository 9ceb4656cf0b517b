import type { BundleFilter, Page, Store } from 'alvarium-sdk/store'
import { instantOf } from '../../trust/instant.js'
import { invalid, named } from '../fault.js'
import { EXIT, type ExitCode, type Session } from '../session.js'
import { dim, shown, yellow } from '../terminal/shown.js'
import { type DatabaseOptions, withStore } from './database.js'
import { bundleRow } from './report.js'

/** Which page of bundles, as it was asked for. */
export interface PageArguments extends DatabaseOptions {
  readonly limit: number
  readonly after?: string
  readonly json?: boolean
}

/** Shows a page of bundles, and how to get the next one. */
export async function showPage(
  options: PageArguments,
  session: Session,
  ask: (store: Store, page: { limit: number; after: string | undefined }) => Promise<Page>,
): Promise<ExitCode> {
  const { limit, after, json = false } = options
  const { out, err } = session
  const { bundles, next } = await withStore(options, session, (store) => ask(store, { limit, after }))
  for (const bundle of bundles) {
    if (json) await out.json(bundle)
    else await out.line(bundleRow(bundle))
  }
  if (next !== undefined) await err.line(dim(shown`there are more: --after ${next}`))
  if (bundles.length > 0) return EXIT.yes
  await err.line(shown`${yellow('?')} there is no such bundle`)
  return EXIT.unknown
}

/** What bundles are looked for by, as it was asked for. */
export interface FilterArguments {
  readonly signer?: string
  readonly host?: string
  readonly kind?: string
  readonly tag?: string
  readonly from?: string
  readonly until?: string
}

/** @throws AlvariumError `CONFIG_INVALID` */
export function filterIn({ signer, host, kind, tag, from, until }: FilterArguments): BundleFilter {
  const at = { from: momentIn('--from', from), until: momentIn('--until', until) }
  const texts = Object.entries({ signer, host, kind, tag }).filter(([, text]) => text !== undefined)
  const isTimed = from !== undefined || until !== undefined
  if (!isTimed && texts.length === 0) {
    throw invalid('--host', 'it, or one of --signer, --kind, --tag, --from and --until', 'none of them')
  }
  return { ...Object.fromEntries(texts), ...(isTimed && { at }) }
}

/** @throws AlvariumError `CONFIG_INVALID` */
export function momentIn(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const ms = instantOf(text)?.ms
  if (ms !== undefined) return ms
  throw invalid(option, 'a time such as 2026-11-20T10:00:00Z', named(text))
}
