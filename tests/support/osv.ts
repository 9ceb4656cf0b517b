import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeEach } from 'vitest'

interface Query {
  readonly package: { readonly name: string; readonly ecosystem: string }
  readonly version: string
  readonly page_token?: string
}

/** A server that speaks OSV's querybatch by its documentation, with vulnerabilities that a test sets. */
export interface Osv {
  readonly url: string
  readonly batches: (readonly Query[])[]
  /** Pages of ids by `ecosystem name@version`. */
  readonly known: Map<string, readonly (readonly string[])[]>
  /** Handler that answers in the server's place, if set. */
  instead: ((request: IncomingMessage, response: ServerResponse) => void) | undefined
  close(): Promise<void>
}

export async function startOsv(): Promise<Osv> {
  const server = createServer(async (request, response) => {
    if (osv.instead) return osv.instead(request, response)
    const { queries } = JSON.parse(await textOf(request)) as { queries: Query[] }
    osv.batches.push(queries)
    if (request.method !== 'POST' || request.url !== '/v1/querybatch' || queries.length > 1000) {
      response.writeHead(400).end('{"code":3,"message":"Too many queries."}')
    } else response.end(JSON.stringify({ results: queries.map((query) => resultFor(query, osv.known)) }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const osv: Osv = {
    url: `http://127.0.0.1:${port}/v1/querybatch`,
    batches: [],
    known: new Map(),
    instead: undefined,
    close: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
  return osv
}

/** Returns the result for a package: an empty object without vulnerabilities, and a token if there is another page. */
function resultFor({ package: { ecosystem, name }, version, page_token }: Query, known: Osv['known']) {
  const pages = known.get(`${ecosystem} ${name}@${version}`) ?? []
  const at = Number(page_token ?? 0)
  const vulns = (pages[at] ?? []).map((id) => ({ id, modified: '2026-01-01T00:00:00Z' }))
  const more = at + 1 < pages.length
  return { ...(vulns.length > 0 && { vulns }), ...(more && { next_page_token: String(at + 1) }) }
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const piece of request.setEncoding('utf8')) text += piece
  return text
}

/** Starts one server for all tests of a file, empty when each begins. */
export async function osvForTests(): Promise<Osv> {
  const osv = await startOsv()
  afterAll(() => osv.close())
  beforeEach(() => {
    osv.batches.length = 0
    osv.known.clear()
    osv.instead = undefined
  })
  return osv
}
