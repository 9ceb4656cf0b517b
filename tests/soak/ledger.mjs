// What was promised and what came: a number for each call, known again by its payload's key.

import { keyOf } from 'alvarium-sdk'

const encoder = new TextEncoder()

/** What one consumer got. */
export class Seen {
  /** @type {Map<string, Set<string>>} by key: what tells the bundles apart */
  #bundles = new Map()
  /** How many came, repeats included. */
  arrivals = 0
  /** When the last one came. */
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

  /** How many came once repeats are left out. */
  get bundles() {
    let sum = 0
    for (const ids of this.#bundles.values()) sum += ids.size
    return sum
  }

  /** Payloads of which two different bundles came: calls that were made once and sealed twice. */
  get doubled() {
    return [...this.#bundles.values()].filter((ids) => ids.size > 1).length
  }
}

export class Ledger {
  /** @type {Set<string>} the keys of calls that have resolved */
  promised = new Set()
  /** The highest number of a call that has resolved. */
  last = -1
  delivered = 0
  /** Of all calls, in ms. */
  slowestStored = 0
  slowestDelivered = 0
  /** @type {string[]} */
  failures = []
  /** Of the publisher, in bytes. */
  rss = 0
  /** Whether the subscriber has had its subscription. */
  isListening = false
  subscriber = new Seen()
  witness = new Seen()

  /** A line of publisher.mjs. @param {string} word @param {string[]} rest */
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

  /** A line of subscriber.mjs. @param {string} word @param {string[]} rest */
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
