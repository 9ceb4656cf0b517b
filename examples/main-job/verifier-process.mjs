import { Child } from '../shared/child.mjs'
import { within } from '../shared/deadline.mjs'
import { aborted } from './annotate.mjs'

/** Milliseconds without progress after which the verifier counts as stalled. */
const STALLED_MS = 60_000

/** @typedef {{ code: string, message: string }} Rejection */

/** @param {{ url: string, topic: string, publicKey: string }} options */
export function startVerifier({ url, topic, publicKey }) {
  return new VerifierProcess({ BROKER_URL: url, TOPIC: topic, PUBLIC_KEY: publicKey })
}

/** Handle of the child process verifier.mjs, with its latest counts. */
class VerifierProcess {
  /** @type {Record<string, number>} by action */
  verified = {}
  /** @type {Record<string, [no: number, yes: number]>} by kind */
  answers = {}
  /** @type {Rejection[]} */
  rejections = []
  #child
  #failure = new AbortController()
  /** @type {(() => void) | undefined} */
  #heard

  /** @param {Record<string, string>} env */
  constructor(env) {
    this.#child = new Child(new URL('verifier.mjs', import.meta.url), env)
    this.#child.on('line', (line) => this.#hear(JSON.parse(line)))
    this.#child.died().catch((error) => this.#failure.abort(error))
  }

  /** Signal that aborts when the process ends without being stopped. */
  get failed() {
    return this.#failure.signal
  }

  get pid() {
    return this.#child.pid
  }

  get total() {
    return Object.values(this.verified).reduce((all, count) => all + count, 0)
  }

  get messages() {
    return this.total + this.rejections.length
  }

  async listening() {
    await this.#child.says('listening')
  }

  /**
   * Resolves when the verifier has received this many messages.
   *
   * @param {number} messages
   * @param {AbortSignal} signal
   */
  async counted(messages, signal) {
    while (this.messages < messages) {
      const news = new Promise((resolve) => {
        this.#heard = () => resolve(undefined)
      })
      const what = `the verifier has ${this.messages} of ${messages} messages, expected it to go on`
      await within(Promise.race([news, aborted(signal)]), STALLED_MS, what)
    }
  }

  stop() {
    return this.#child.stop()
  }

  /** @param {{ verified?: Record<string, number>, answers?: Record<string, [number, number]>, rejected?: Rejection }} report */
  #hear({ verified, answers, rejected }) {
    if (verified) this.verified = verified
    if (answers) this.answers = answers
    if (rejected) this.rejections.push(rejected)
    this.#heard?.()
  }
}
