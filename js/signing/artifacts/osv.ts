// Queries OSV about up to 1,000 packages per request: https://google.github.io/osv.dev/post-v1-querybatch/

import * as v from 'valibot'
import { describe } from '../../foundation/base/errors.js'
import { boundedText, fetchFault } from '../../foundation/base/http/bounded-text.js'
import { shownUrl } from '../../foundation/base/options/schema.js'
import { excessSteps } from '../../foundation/base/text/scan.js'
import { runYielding, sourceTurns } from '../../foundation/base/time/turns.js'
import type { PackageName } from './locks/package.js'

/** A package with the known vulnerabilities of its version. */
export interface Vulnerability {
  readonly ecosystem: string
  readonly name: string
  readonly version: string
  /** OSV ids of the vulnerabilities, for example `GHSA-…` or `CVE-…`. */
  readonly ids: readonly string[]
}

interface Query {
  readonly package: PackageName
  readonly pageToken?: string
}

const MAX_QUERIES = 1000
const MAX_PAGES = 100
const MAX_ANSWER_BYTES = 16 * 1024 * 1024

const answer = v.object({
  results: v.array(
    v.object({
      vulns: v.optional(v.array(v.object({ id: v.string() }))),
      next_page_token: v.optional(v.string()),
    }),
  ),
})

/**
 * Queries OSV about all packages, and follows all pages of results.
 *
 * @throws Error if a response has another form than documented, or `signal` aborts
 */
export async function askOsv(
  url: string,
  packages: readonly PackageName[],
  signal: AbortSignal,
): Promise<Vulnerability[]> {
  const found = new Map<PackageName, string[]>()
  let queries: Query[] = packages.map((one) => ({ package: one }))
  for (let page = 0; queries.length > 0; page++) {
    if (page === MAX_PAGES) throw new Error(`${shownUrl(url)}: expected at most ${MAX_PAGES} pages, got more`)
    const next: Query[] = []
    for (let at = 0; at < queries.length; at += MAX_QUERIES) {
      next.push(...(await askBatch(url, queries.slice(at, at + MAX_QUERIES), signal, found)))
    }
    queries = next
  }
  return [...found].map(([{ ecosystem, name, version }, ids]) => ({ ecosystem, name, version, ids }))
}

/** Queries OSV once, and adds the results to `found`. @returns the queries for further pages */
async function askBatch(
  url: string,
  queries: readonly Query[],
  signal: AbortSignal,
  found: Map<PackageName, string[]>,
): Promise<Query[]> {
  const { results } = await post(url, { queries: queries.map(queryOf) }, signal)
  if (results.length !== queries.length) {
    throw new Error(`${shownUrl(url)}: expected ${queries.length} results, got ${results.length}`)
  }
  return queries.flatMap(({ package: packageName }, at) => {
    const { vulns = [], next_page_token: pageToken = '' } = results[at] ?? {}
    const ids = vulns.map(({ id }) => id)
    if (ids.length > 0) found.set(packageName, [...(found.get(packageName) ?? []), ...ids])
    return pageToken === '' ? [] : [{ package: packageName, pageToken }]
  })
}

function queryOf({ package: { ecosystem, name, version }, pageToken }: Query) {
  const query = { package: { name, ecosystem }, version }
  return pageToken === undefined ? query : { ...query, page_token: pageToken }
}

async function post(url: string, body: object, signal: AbortSignal) {
  const response = await send(url, body, signal)
  if (response.status !== 200) {
    // Cancel the body, because an unread body would keep the connection open, and the process alive.
    await response.body?.cancel().catch(() => {})
    throw new Error(`${shownUrl(url)}: expected status 200, got ${response.status}`)
  }
  const text = await boundedText(response, signal, MAX_ANSWER_BYTES)
  const excess = await runYielding(excessSteps(text), sourceTurns)
  if (excess !== undefined) throw new Error(`${shownUrl(url)}: expected ${excess}, got more`)
  const result = v.safeParse(answer, JSON.parse(text), { abortEarly: true })
  if (result.success) return result.output
  const [issue] = result.issues
  const path = v.getDotPath(issue) ?? 'answer'
  throw new Error(`${shownUrl(url)}: expected ${issue.expected} at ${path}, got ${describe(issue.input)}`)
}

async function send(url: string, body: object, signal: AbortSignal): Promise<Response> {
  const headers = { 'Content-Type': 'application/json' }
  const text = JSON.stringify(body)
  try {
    return await fetch(url, { method: 'POST', headers, body: text, redirect: 'error', signal })
  } catch (cause) {
    throw new Error(`${shownUrl(url)}: expected an answer, got: ${fetchFault(cause)}`, { cause })
  }
}
