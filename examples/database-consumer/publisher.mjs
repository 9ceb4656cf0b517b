// Publishes bundles for the consumer, in parts, so that a restarted consumer has something to store.

import { randomBytes } from 'node:crypto'
import { mqtt, openSdk, source } from 'alvarium-sdk'

/** Publisher that sends half of the bundles alone, half in batches, and some messages twice. */
export class Publisher {
  /** @type {Uint8Array[]} */
  #payloads = []
  /** @type {string[]} */
  #ids = []
  #stream
  #sdk
  #group

  /**
   * @param {import('alvarium-sdk').StreamProvider} stream
   * @param {import('alvarium-sdk').Sdk} sdk
   * @param {number} group number of bundles to publish together
   */
  constructor(stream, sdk, group) {
    this.#stream = stream
    this.#sdk = sdk
    this.#group = group
  }

  /** @param {{ url: string, topic: string, signingKey: Uint8Array, group: number }} settings */
  static async open({ url, topic, signingKey, group }) {
    const stream = mqtt({ url, topic })
    return new Publisher(stream, await openSdk({ signingKey, annotators: [source()], stream }), group)
  }

  /** @param {number} most */
  async some(most) {
    const payloads = Array.from({ length: most }, () => randomBytes(16))
    this.#payloads.push(...payloads)
    for (let at = 0; at < most; at += this.#group) {
      const some = payloads.slice(at, at + this.#group)
      const half = this.#group / 2
      const batched = await this.#sdk.createMany(some.slice(0, half))
      const alone = await Promise.all(some.slice(half).map((payload) => this.#sdk.create(payload)))
      this.#ids.push(...[...batched, ...alone].map(({ id }) => id))
      for (const { message } of [...batched.slice(0, 1), ...alone.slice(0, 1)])
        await this.#stream.publish(message, {})
    }
  }

  /** @param {number} count total to reach @returns all payloads and bundle ids published so far */
  async rest(count) {
    await this.some(Math.max(0, count - this.#payloads.length))
    await this.#sdk.close()
    return { payloads: this.#payloads, ids: this.#ids }
  }
}
