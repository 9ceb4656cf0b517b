/** The verifier: knows public keys only, checks every message that comes. */
import { openReceiver } from '#transport'
import type { Check, Connection, Place, Verdict, VerifierUpdate } from '../protocol.ts'
import { Outbox } from './outbox.ts'
import type { Part } from './port.ts'
import { identityBytes, Keyring, type VerifiedBundle, verifyMessage } from './sdk.ts'
import { troubleOf } from './trouble.ts'

/** Most verdicts in one update. */
const MOST = 100
/** Verdicts go to the page this often at most: nobody reads sixty lists a second, and drawing them costs frames. */
const LIST_MS = 200

export function verifier(): Part<'verifier'> {
  const verifying = new Verifying()
  return {
    painted: () => verifying.outbox.painted(),
    handlers: {
      open: (place) => verifying.open(place),
      trust: (publicKey) => {
        verifying.keyring.add(publicKey)
      },
      verify: ({ message, payload }: Check) =>
        verifyMessage(message, { keyring: verifying.keyring, ...(payload && { payload }) }),
      identity: (message) => new Uint8Array(identityBytes(message)),
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
  #listed = Number.NEGATIVE_INFINITY

  open(place: Place): void {
    openReceiver(place, this.keyring, {
      connection: (connection) => {
        this.#connection = connection
        this.outbox.changed()
      },
      verified: (bundle, message) => this.#noteVerified(bundle, message),
      rejected: (error, message) => this.#noteRejected(error, message),
    })
  }

  #noteVerified(bundle: VerifiedBundle, message: Uint8Array): void {
    this.#verified++
    const latencyMs = performance.timeOrigin + performance.now() - millisOf(bundle.timestamp)
    this.#note({ at: this.#at, message: message.slice(), bundle, latencyMs })
  }

  #noteRejected(error: Error, message: Uint8Array): void {
    this.#rejected++
    this.#note({ at: this.#at, message: message.slice(), trouble: troubleOf(error) })
  }

  get #at(): number {
    return this.#verified + this.#rejected
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

  /** The verdicts that the page does not have yet; none, and another update later, if it has just had some. */
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

/** With the microseconds, which `Date` drops. The SDK writes `…T10:00:00.123456Z`. */
function millisOf(timestamp: string): number {
  const micros = Number(/\.\d{3}(\d{3})Z$/.exec(timestamp)?.[1] ?? 0)
  return Date.parse(timestamp) + micros / 1000
}
