// Promised and received calls: a number for each call, recognised by its payload's key.

import { keyOf } from 'alvarium-sdk'

const encoder = new TextEncoder()

/** Bundles that one consumer received. */
export class Seen {
  /** Ids of bundles by payload key. @type {Map<string, Set<string>>} */
  #bundles = new Map()
  /** Number of arrivals, repeats included. */
  arrivals = 0
  /** Time of the last arrival. */
  lastAt = performance.now()

  /** @param {string} key @param {string} id */
  add(key, id) {
    this.arrivals++
    this.lastAt = performance.now()
    const ids = this.#bundles.get(key)
    if (ids) ids.add(id)
    else this.#bundles.set(key, new Set([id]))
  }

  /** @param {string} key */
  has(key) {
    return this.#bundles.has(key)
  }

  /** Number of bundles without repeats. */
  get bundles() {
    let sum = 0
    for (const ids of this.#bundles.values()) sum += ids.size
    return sum
  }

  /** Number of payloads with two different bundles: calls that were made once and sealed twice. */
  get doubled() {
    return [...this.#bundles.values()].filter((ids) => ids.size > 1).length
  }
}

export class Ledger {
  /** Payload keys of calls that have resolved. @type {Set<string>} */
  promised = new Set()
  /** Highest number of a call that has resolved. */
  last = -1
  delivered = 0
  /** Slowest of all calls, in milliseconds. */
  slowestStored = 0
  slowestDelivered = 0
  /** @type {string[]} */
  failures = []
  /** Memory of the publisher, in bytes. */
  rss = 0
  isListening = false
  subscriber = new Seen()
  witness = new Seen()

  /** Records a line of publisher.mjs. @param {string} word @param {string[]} rest */
  published(word, ...rest) {
    const [number, millis] = rest.map(Number)
    if (word === 'stored') {
      this.promised.add(keyOf(encoder.encode(`${number}`), 'sha256'))
      this.last = Math.max(this.last, number ?? 0)
      this.slowestStored = Math.max(this.slowestStored, millis ?? 0)
    } else if (word === 'delivered') {
      this.delivered++
      this.slowestDelivered = Math.max(this.slowestDelivered, millis ?? 0)
    } else if (word === 'rss') this.rss = Math.max(this.rss, number ?? 0)
    else this.failures.push([word, ...rest].join(' '))
  }

  /** Records a line of subscriber.mjs. @param {string} word @param {string[]} rest */
  received(word, ...rest) {
    if (word === 'got') this.subscriber.add(rest[0] ?? '', rest[1] ?? '')
    else if (word === 'open') this.isListening = true
    else this.failures.push([word, ...rest].join(' '))
  }

  /** @param {Seen} seen */
  lostBy(seen) {
    return [...this.promised].filter((key) => !seen.has(key)).length
  }
}
