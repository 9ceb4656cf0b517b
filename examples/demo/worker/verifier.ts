/** Verifier: has only public keys, and checks each received message. */
import { openReceiver } from '#transport'
import type { Connection, Place, Verdict, VerifierUpdate } from '../protocol.ts'
import { inspect } from './inspect.ts'
import { Memory } from './memory.ts'
import { Outbox } from './outbox.ts'
import type { Part } from './port.ts'
import { Keyring, type VerifiedBundle, verifyBatch } from './sdk.ts'
import { troubleOf } from './trouble.ts'

/** Maximum number of verdicts in one update. */
const MOST = 100
/** Minimum number of milliseconds between lists of verdicts. Nobody reads faster. */
const LIST_MS = 200
/** Maximum size in bytes of a message that the page gets in full, because the page keeps 500 messages. */
const LONGEST = 256 * 1024

export function verifier(): Part<'verifier'> {
  const verifying = new Verifying()
  return {
    painted: () => verifying.outbox.painted(),
    handlers: {
      open: (place) => verifying.open(place),
      trust: (key) => verifying.trust(key),
      hear: (message) => verifying.hear(message),
      inspect: (check) => inspect(check, verifying.keyring),
    },
  }
}

class Verifying {
  readonly keyring = new Keyring()
  readonly outbox = new Outbox(() => this.#read())
  #connection: Connection = { state: 'connecting' }
  #verified = 0
  #rejected = 0
  #verdicts: Verdict[] = []
  #at = 0
  readonly #memory = new Memory()
  #last: { readonly message: Uint8Array; readonly copy: Uint8Array<ArrayBuffer> } | undefined
  #listed = Number.NEGATIVE_INFINITY

  async open(place: Place): Promise<void> {
    await this.#recall()
    openReceiver(place, this.keyring, {
      connection: (connection) => {
        this.#connection = connection
        this.outbox.changed()
      },
      verified: (bundle, message) => {
        // Store each message once, not once per bundle.
        if (this.#last?.message !== message) this.#memory.keep(message)
        this.#noteVerified(bundle, message)
      },
      rejected: (error, message) => this.#noteRejected(error, message),
    })
  }

  /** Verifies a message as if it had been received. Returns whether it verified. */
  async hear(message: Uint8Array): Promise<boolean> {
    try {
      for (const bundle of await verifyBatch(message, { keyring: this.keyring }))
        this.#noteVerified(bundle, message)
      return true
    } catch (error) {
      if (error instanceof Error) this.#noteRejected(error, message)
      return false
    }
  }

  /** Verifies the messages of earlier visits again, because stored messages may have been altered. */
  async #recall(): Promise<void> {
    const { keys, messages } = await this.#memory.recall()
    for (const key of keys) this.keyring.add(key)
    for (const message of messages) {
      const bundles = await verifyBatch(message, { keyring: this.keyring }).catch(() => [])
      for (const bundle of bundles)
        this.#note({ at: ++this.#at, message, bundle, latencyMs: 0, isRecalled: true })
    }
  }

  trust({ publicKey, isLasting }: { publicKey: string; isLasting: boolean }): void {
    this.keyring.add(publicKey)
    if (isLasting) this.#memory.trust(publicKey)
  }

  #noteVerified(bundle: VerifiedBundle, message: Uint8Array): void {
    this.#verified++
    const latencyMs = performance.timeOrigin + performance.now() - millisOf(bundle.timestamp)
    this.#note({ at: ++this.#at, message: this.#copyOf(message), bundle, latencyMs })
  }

  #noteRejected(error: Error, message: Uint8Array): void {
    this.#rejected++
    this.#note({ at: ++this.#at, message: this.#copyOf(message), trouble: troubleOf(error) })
  }

  /** Returns one copy of a message for all bundles of a batch. */
  #copyOf(message: Uint8Array): Uint8Array<ArrayBuffer> {
    if (this.#last?.message !== message) this.#last = { message, copy: message.slice(0, LONGEST) }
    return this.#last.copy
  }

  #note(verdict: Verdict): void {
    this.#verdicts.push(verdict)
    if (this.#verdicts.length > MOST) {
      const oldest = this.#verdicts.findIndex((one) => 'bundle' in one && one.bundle.action === 'create')
      this.#verdicts.splice(Math.max(oldest, 0), 1)
    }
    this.outbox.changed()
  }

  #read(): VerifierUpdate {
    const verdicts = this.#list()
    return { connection: this.#connection, verified: this.#verified, rejected: this.#rejected, verdicts }
  }

  /**
   * Returns the new verdicts. Within {@link LIST_MS} of the last list, returns none and plans another update.
   */
  #list(): readonly Verdict[] {
    const wait = this.#listed + LIST_MS - performance.now()
    if (this.#verdicts.length === 0) return []
    if (wait > 0) {
      setTimeout(() => this.outbox.changed(), wait)
      return []
    }
    this.#listed = performance.now()
    const verdicts = this.#verdicts
    this.#verdicts = []
    return verdicts
  }
}

/** Returns a time in milliseconds, with the microseconds of `…T10:00:00.123456Z` as a fraction. */
function millisOf(timestamp: string): number {
  const micros = Number(/\.\d{3}(\d{3})Z$/.exec(timestamp)?.[1] ?? 0)
  return Date.parse(timestamp) + micros / 1000
}
