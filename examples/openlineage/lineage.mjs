// Sends OpenLineage events. `COMPLETE` has a facet that names the bundles and, if given, the evidence pack.

import { randomUUID } from 'node:crypto'
import { toOpenLineage } from 'alvarium-sdk/packs'

const PRODUCER = 'https://example.invalid/alvarium-sdk/examples/openlineage'
const SCHEMA = 'https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent'
const NAMESPACE = 'weather'

/**
 * @typedef {{ uri: string, id: string }} Pack evidence pack
 * @typedef {{ id: string, signer: string }} Signed bundle
 */

/** Run of a pipeline step. `start` sends the first event. */
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

  /** @param {Signed[]} bundles @param {Pack} [pack] */
  complete(bundles, pack) {
    return this.#send('COMPLETE', { ...toOpenLineage(bundles, { producer: PRODUCER, pack }) })
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
