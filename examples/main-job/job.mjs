import { generateKey, mqtt, openSdk, source, tls, toHex, tpm } from 'alvarium-sdk'
import { startBroker } from '../broker/broker.mjs'
import { startVerifier } from './verifier-process.mjs'

const TOPIC = 'alvarium'

/** @typedef {'create' | 'transit' | 'mutate' | 'publish'} Action */
/** @typedef {Awaited<ReturnType<typeof openJob>>} Job */

/**
 * Opens a broker, an SDK that publishes to it, and a verifier in another process.
 *
 * @param {import('./dataset.mjs').Dataset} dataset
 */
export async function openJob(dataset) {
  const broker = await startBroker()
  try {
    return await publishingTo(broker, dataset)
  } catch (error) {
    await broker.close()
    throw error
  }
}

/** @param {import('../broker/broker.mjs').Broker} broker @param {import('./dataset.mjs').Dataset} dataset */
async function publishingTo(broker, dataset) {
  const { signingKey, verifyingKey, keyId } = generateKey()
  const stream = mqtt({ url: broker.url, topic: TOPIC, qos: 1 })
  const annotators = [source(), tls(), tpm(), complete(dataset)]
  const sdk = await openSdk({ signingKey, annotators, stream, tag: dataset.source })
  signingKey.fill(0)
  const verifier = startVerifier({ url: broker.url, topic: TOPIC, publicKey: toHex(verifyingKey) })
  const stop = async () => {
    await sdk.close()
    await verifier.stop()
  }
  try {
    await verifier.listening()
  } catch (error) {
    await stop()
    throw error
  }
  const close = async () => {
    await stop()
    await broker.close()
  }
  const where = `${broker.url}, topic ${TOPIC}, QoS 1`
  return { stream, verifier, tally: new Tally(sdk), verifyingKey, keyId, where, close }
}

/**
 * Returns a custom annotator that checks whether a payload is complete.
 *
 * @param {import('./dataset.mjs').Dataset} dataset
 * @returns {import('alvarium-sdk').Annotator<'complete'>}
 */
function complete({ isComplete }) {
  return { kind: 'complete', needs: 'payload', isSatisfied: ({ payload }) => isComplete(payload) }
}

/** Makes the calls of the SDK and counts them. */
export class Tally {
  #sdk
  /** First payload, with the receipt of its `create`. The job alters copies later, to test the verifier. */
  first
  elapsedMs = 0
  called = { create: 0, transit: 0, mutate: 0, publish: 0 }
  /** Number of calls with a message that the broker has acknowledged. */
  acknowledged = { create: 0, transit: 0, mutate: 0, publish: 0 }

  /** @param {import('alvarium-sdk').Sdk} sdk */
  constructor(sdk) {
    this.#sdk = sdk
  }

  get calls() {
    return sum(this.called)
  }

  get published() {
    return sum(this.acknowledged)
  }

  /** @param {Action} action @param {...Uint8Array} payloads */
  async call(action, ...payloads) {
    this.called[action]++
    const receipt = await this.#sdk[action](...payloads)
    this.acknowledged[action]++
    this.first ??= { payload: payloads[0], receipt }
  }
}

/** @param {Record<string, number>} counts */
const sum = (counts) => Object.values(counts).reduce((all, count) => all + count, 0)
