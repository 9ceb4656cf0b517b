// Sends OpenLineage events, whose facet says where the evidence is.

import { randomUUID } from 'node:crypto'

const PRODUCER = 'https://alvarium.org/examples/openlineage'
const SCHEMA = 'https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent'
const FACET = 'https://alvarium.org/openlineage/1-0-0/AlvariumEvidenceRunFacet.json'
const NAMESPACE = 'weather'

/**
 * @typedef {{ uri: string, id: string }} Pack
 * @typedef {{ signer: string, bundles: string[], pack?: Pack }} Evidence
 */

/** One run of a step: it has begun when this returns. */
export class Run {
  #url
  #job
  #runId = randomUUID()
  #datasets

  /** @param {string} url of the collector @param {string} job @param {string[]} inputs @param {string[]} outputs */
  constructor(url, job, inputs, outputs) {
    this.#url = new URL('/api/v1/lineage', url)
    this.#job = { namespace: NAMESPACE, name: job }
    this.#datasets = { inputs: inputs.map(dataset), outputs: outputs.map(dataset) }
  }

  start() {
    return this.#send('START', {})
  }

  /** @param {Evidence} evidence */
  complete(evidence) {
    return this.#send('COMPLETE', {
      alvarium_evidence: { _producer: PRODUCER, _schemaURL: FACET, ...evidence },
    })
  }

  fail() {
    return this.#send('FAIL', {})
  }

  /** @param {string} eventType @param {Record<string, object>} facets */
  async #send(eventType, facets) {
    const event = {
      eventType,
      eventTime: new Date().toISOString(),
      producer: PRODUCER,
      schemaURL: SCHEMA,
      run: { runId: this.#runId, facets },
      job: this.#job,
      ...this.#datasets,
    }
    const response = await fetch(this.#url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(event),
    })
    if (!response.ok)
      throw new Error(`collector: expected status 201, got ${response.status}: ${await response.text()}`)
  }
}

/** @param {string} name */
function dataset(name) {
  return { namespace: NAMESPACE, name }
}
