/**
 * @typedef {object} Payload
 * @property {string} key
 * @property {number} score from 0 to 1: the weight of satisfied answers over the weight of all answers
 * @property {import('alvarium-sdk').VerifiedBundle[]} bundles in the order in which they were added
 */

/** What is known about payloads from bundles that have been verified. */
export class Confidence {
  /** @type {Map<string, import('alvarium-sdk').VerifiedBundle[]>} by payload key */
  #bundles = new Map()
  /** @type {Set<string>} ids of annotations: QoS 1 may deliver a message twice, it counts once */
  #seen = new Set()
  #weights

  /** @param {Record<string, number>} weights by kind; kinds that are not named weigh 1 */
  constructor(weights = {}) {
    this.#weights = weights
  }

  /** @param {import('alvarium-sdk').VerifiedBundle} bundle */
  add(bundle) {
    const ids = bundle.annotations.map(({ id }) => `${bundle.signer} ${id}`)
    if (ids.length > 0 && ids.every((id) => this.#seen.has(id))) return
    for (const id of ids) this.#seen.add(id)
    const bundles = this.#bundles.get(bundle.key)
    if (bundles) bundles.push(bundle)
    else this.#bundles.set(bundle.key, [bundle])
  }

  /** @returns {Payload[]} */
  payloads() {
    return [...this.#bundles.keys()].map((key) => this.payload(key))
  }

  /** @param {string} key @returns {Payload} */
  payload(key) {
    const bundles = this.#bundles.get(key) ?? []
    return { key, bundles, score: this.#score(bundles) }
  }

  /**
   * What a payload was made from, and that one from, and so on, nearest first. Signers may say what they like,
   * also that two payloads were made from each other: each comes once.
   *
   * @param {string} key
   * @returns {Payload[]}
   */
  lineage(key) {
    const met = new Set([key])
    const line = []
    for (const ancestor of met) {
      const { bundles } = this.payload(ancestor)
      for (const { previousKey } of bundles) if (previousKey) met.add(previousKey)
      if (ancestor !== key) line.push(this.payload(ancestor))
    }
    return line
  }

  /** @param {import('alvarium-sdk').VerifiedBundle[]} bundles */
  #score(bundles) {
    const annotations = bundles.flatMap(({ annotations }) => annotations)
    const weigh = (/** @type {typeof annotations} */ some) =>
      some.reduce((sum, { kind }) => sum + (this.#weights[kind] ?? 1), 0)
    const all = weigh(annotations)
    return all === 0 ? 0 : weigh(annotations.filter(({ isSatisfied }) => isSatisfied)) / all
  }
}
