// Receives OpenLineage events over HTTP, as Marquez and other collectors do, and validates them against the
// standard's JSON schema.

import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { servedBy } from '../shared/files.mjs'

const HOST = '127.0.0.1'
const ajv = formats.default(new Ajv2020())
const isEvent = ajv.compile(await schema('run-event.schema.json'))
const isEvidence = ajv.compile(await schema('AlvariumEvidenceRunFacet.json'))

/** @returns {Promise<{ url: string, events: any[], close(): Promise<void> }>} */
export async function startCollector() {
  /** @type {any[]} */
  const events = []
  const server = createServer(async (request, response) => {
    if (request.method !== 'POST' || request.url !== '/api/v1/lineage') return response.writeHead(404).end()
    const fault = take(await text(request), events)
    response.writeHead(fault ? 400 : 201, { 'content-type': 'text/plain' }).end(fault)
  })
  server.listen(0, HOST)
  await once(server, 'listening')
  return { ...servedBy(server, HOST), events }
}

/** @param {string} body @param {any[]} events @returns {string | undefined} validation error, if any */
function take(body, events) {
  try {
    const event = JSON.parse(body)
    const evidence = event.run?.facets?.alvarium_evidence
    if (!isEvent(event)) return ajv.errorsText(isEvent.errors)
    if (evidence && !isEvidence(evidence)) return ajv.errorsText(isEvidence.errors)
    events.push(event)
    return undefined
  } catch (error) {
    return `${error.message}`
  }
}

/** @param {string} name */
async function schema(name) {
  return JSON.parse(await readFile(new URL(name, import.meta.url), 'utf8'))
}
