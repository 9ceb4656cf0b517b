import { type AlvariumError, conflicts, expected } from '../../foundation/base/errors.js'
import { TOO_LATE, within } from '../../foundation/base/time/timeout.js'
import type { SigningRuns } from '../../signing/seal/log.js'
import type { Sealer } from '../../signing/seal/sealer.js'
import { readSigningKey, type SdkSettings } from '../config/options.js'
import type { Publish } from '../delivery/delivery.js'
import { type OpenedKey, openKey, SigningKey } from './signing-key.js'

/** Signing key in use, and earlier keys until their calls are signed. */
export class SigningKeys implements Pick<Sealer, 'prepare'> {
  readonly #settings: SdkSettings
  readonly #runs: SigningRuns | undefined
  readonly #publish: Publish
  #current: SigningKey
  readonly #all = new Set<SigningKey>()
  /** Chain of exchanges: keys are exchanged one after the other, in the order of the calls to `rotate`. */
  #exchanges: Promise<unknown> = Promise.resolve()
  readonly #closing = new AbortController()

  constructor(settings: SdkSettings, first: OpenedKey, publish: Publish, runs: SigningRuns | undefined) {
    this.#settings = settings
    this.#runs = runs
    this.#publish = publish
    this.#current = this.#add(first)
  }

  get current(): SigningKey {
    return this.#current
  }

  prepare(...given: Parameters<Sealer['prepare']>): ReturnType<Sealer['prepare']> {
    return this.#current.sealer.prepare(...given)
  }

  hasRoom(calls: number, bytes: number): true | PromiseLike<unknown> {
    return this.#current.sealer.hasRoom?.(calls, bytes) ?? true
  }

  get asking(): number {
    return [...this.#all].reduce((sum, { asking }) => sum + asking.count, 0)
  }

  /** Replaces the key in use, and waits until the old key is wiped. */
  async rotate(given: unknown): Promise<void> {
    const signingKey = readSigningKey(given)
    if (this.#settings.codec.openSigner) {
      throw conflicts('rotate', 'a codec that has a private key')
    }
    const exchange = this.#exchanges.then(() => this.#exchange(signingKey))
    this.#exchanges = exchange.catch(() => {})
    await this.#retire(await exchange)
  }

  /** Opens the next key, puts it into use, and returns the old key. */
  async #exchange(signingKey: SdkSettings['signingKey']): Promise<SigningKey> {
    const { signal } = this.#closing
    const ready = ({ logSigner }: Sealer) => {
      signal.throwIfAborted()
      if (logSigner && logSigner.signer === this.#current.sealer.logSigner?.signer) {
        throw expected('KEY_INVALID', 'signingKey', 'a new private key', 'the private key in use')
      }
    }
    signal.throwIfAborted()
    const next = this.#add(await openKey({ ...this.#settings, signingKey, signal }, this.#runs, ready))
    if (signal.aborted) {
      await this.#retire(next)
      throw signal.reason
    }
    const before = this.#current
    this.#current = next
    return before
  }

  #add(opened: OpenedKey): SigningKey {
    const key = new SigningKey(opened, this.#publish, this.#settings.batch)
    this.#all.add(key)
    return key
  }

  /** Waits for the calls of a key that is no longer in use, ends the log of the key, and wipes the key. */
  async #retire(key: SigningKey): Promise<void> {
    const { closeTimeoutMs } = this.#settings
    const inTime = `the call to be signed within ${closeTimeoutMs} ms after rotate()`
    if ((await within(key.drained(), closeTimeoutMs)) === TOO_LATE) {
      key.stop(expected('SIGNER_FAILED', 'sdk', inTime, 'no answer'))
    }
    await within(key.finish(), closeTimeoutMs)
    key.wipe()
    this.#all.delete(key)
  }

  /** Cancels an exchange of keys that is in progress, and refuses further ones. */
  close(error: AlvariumError): void {
    this.#closing.abort(error)
  }

  async allSealed(): Promise<void> {
    await this.#exchanges
    await this.#each((key) => key.allSealed())
  }

  stop(reason: AlvariumError): void {
    for (const key of this.#all) key.stop(reason)
  }

  /** Signs the last checkpoints and leases, and closes the stream of the checkpoints. */
  async finish(): Promise<void> {
    await this.#each((key) => key.finish())
    await this.#runs?.close()
  }

  wipe(): void {
    for (const key of this.#all) key.wipe()
  }

  async #each(act: (key: SigningKey) => Promise<void>): Promise<void> {
    await Promise.all(Array.from(this.#all, act))
  }
}
