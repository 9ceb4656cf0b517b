import { AlvariumError, textOf } from '../../../foundation/base/errors.js'
import type { Logger } from '../../../foundation/base/logger.js'
import { MAX_TIMEOUT_MS } from '../../../foundation/base/options/schema.js'
import { backoff } from '../../../foundation/base/time/backoff.js'
import { TOO_LATE, unref, within } from '../../../foundation/base/time/timeout.js'
import type { LeaseContext } from '../../../signing/keys/leased-key.js'
import type { SignerInput } from '../../../signing/keys/signer.js'
import { generateKey } from '../../../signing/keys/signing.js'
import type { Allowed } from '../policy/policy.js'
import { type IssueLeaseOptions, issueLease } from './issue-lease.js'
import type { LeaseStream } from './lease-stream.js'

/**
 * Tolerance in milliseconds for inexact timestamps. Leases begin this long before now, and are used until
 * this long before their end.
 */
const MARGIN_MS = 1000

export interface RenewalSettings extends Readonly<Partial<Record<keyof Allowed | 'name', unknown>>> {
  readonly ttlMs: number
  readonly renewBeforeMs?: number | undefined
  readonly signerTimeoutMs: number
  readonly onLease?: ((lease: Uint8Array) => unknown) | undefined
  readonly leaseStream: LeaseStream | undefined
  readonly log: LeaseContext['log']
}

/** Minimum time in milliseconds between two requests to the issuer, if a call of the SDK causes the second one. */
const MIN_ASK_INTERVAL_MS = 1000

export class LeaseRenewal {
  readonly signingKey = generateKey().signingKey
  readonly #issuer: SignerInput
  readonly #settings: RenewalSettings
  readonly #logger: Logger
  #from = Number.POSITIVE_INFINITY
  #until = Number.NEGATIVE_INFINITY
  #timer: ReturnType<typeof setTimeout> | undefined
  #ending: ReturnType<typeof setTimeout> | undefined
  /** Signs the open batch before its lease is replaced or ends, because a later lease may not cover the batch. */
  sealBatch = () => {}
  #renewing: Promise<void> | undefined
  #askedAt = Number.NEGATIVE_INFINITY
  #statedSize = 0
  #isClosed = false
  /** Number of failed renewals since the last successful one. `#failure` is the last error. */
  #failures = 0
  #failure: unknown

  constructor(issuer: SignerInput, settings: RenewalSettings, logger: Logger) {
    this.#issuer = issuer
    this.#settings = settings
    this.#logger = logger
  }

  get isValid(): boolean {
    const now = Date.now()
    return now >= this.#from && now <= this.#until - MARGIN_MS
  }

  assertValid(): void {
    if (!this.isValid) this.#refuse()
  }

  /** Asserts that a batch filled under this lease can still be signed. @throws AlvariumError `SIGNER_FAILED` */
  assertNotOver(): void {
    if (Date.now() > this.#until) this.#refuse()
  }

  /**
   * Asks the issuer for a lease without waiting for the timer, for example after the machine slept.
   *
   * @returns the renewal in progress; undefined if the issuer was asked less than a second ago and none is in progress
   */
  ask(): Promise<void> | undefined {
    if (Math.abs(Date.now() - this.#askedAt) >= MIN_ASK_INTERVAL_MS) this.#begin()
    return this.#renewing
  }

  #refuse(): never {
    void this.ask()
    const got = `a lease from ${new Date(this.#from).toISOString()} until ${new Date(this.#until).toISOString()}`
    const why = this.#failure === undefined ? '' : `: ${textOf(this.#failure)}`
    const text = `signingKey: expected a lease that is valid now, got ${got}${why}`
    throw new AlvariumError('SIGNER_FAILED', text, { cause: this.#failure })
  }

  /**
   * Requests and uses the next lease.
   *
   * @throws AlvariumError as `issueLease`; `SIGNER_FAILED` if `onLease` or the stream rejects the lease
   */
  async renew(): Promise<void> {
    const { ttlMs, renewBeforeMs = ttlMs / 4 } = this.#settings
    const from = Date.now() - MARGIN_MS
    await this.#issue(from, ttlMs)
    if (this.#isClosed) return
    this.sealBatch()
    this.#from = from
    this.#until = from + ttlMs
    this.#failures = 0
    this.#failure = undefined
    const now = Date.now()
    this.#wait(this.#until - renewBeforeMs - now)
    clearTimeout(this.#ending)
    this.#ending = unref(
      setTimeout(() => this.sealBatch(), Math.min(this.#until - MARGIN_MS - now, MAX_TIMEOUT_MS)),
    )
  }

  async #issue(from: number, ttlMs: number): Promise<void> {
    const { onLease, leaseStream, signerTimeoutMs, log } = this.#settings
    const { name, hosts, layers, actions, kinds, tags } = this.#settings
    const state = log?.state()
    const terms = { name, hosts, layers, actions, kinds, tags, log: state, from, ttlMs }
    const options = { ...terms, subject: this.signingKey, signerTimeoutMs } as IssueLeaseOptions
    const lease = await issueLease(this.#issuer, options)
    if (this.#isClosed) return
    if (onLease) await handOver('onLease', () => onLease(lease), signerTimeoutMs)
    if (leaseStream) await handOver('leased.stream', () => leaseStream.publish(lease), signerTimeoutMs)
    this.#statedSize = state?.size ?? 0
  }

  /** Issues a last lease, which states the final size of the log, so that readers accept messages that arrive late. */
  async end(): Promise<void> {
    if ((this.#settings.log?.state()?.size ?? 0) <= this.#statedSize) return
    try {
      await this.#issue(Date.now(), 1)
    } catch (err) {
      this.#logger.warn({ err }, 'the end of the log is stated by no lease: what comes late of it is refused')
    }
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
    clearTimeout(this.#ending)
    this.signingKey.fill(0)
  }

  #wait(milliseconds: number): void {
    if (this.#isClosed) return
    clearTimeout(this.#timer)
    this.#timer = unref(setTimeout(() => this.#begin(), Math.min(Math.max(milliseconds, 0), MAX_TIMEOUT_MS)))
  }

  #begin(): void {
    if (this.#renewing || this.#isClosed) return
    this.#askedAt = Date.now()
    this.#renewing = this.renew()
      .catch((error) => this.#failed(error))
      .finally(() => {
        this.#renewing = undefined
      })
  }

  #failed(error: unknown): void {
    if (this.#isClosed) return
    this.#failure = error
    const untilMs = this.#until - Date.now()
    this.#logger.warn({ err: error, untilMs }, 'the lease could not be renewed, and is asked for again')
    this.#wait(backoff(this.#failures++, Math.random()))
  }
}

async function handOver(recipient: string, give: () => unknown, timeoutMs: number): Promise<void> {
  try {
    if ((await within(Promise.resolve(give()), timeoutMs)) !== TOO_LATE) return
    throw new Error(`nothing within ${timeoutMs} ms`)
  } catch (cause) {
    const text = `${recipient}: expected the lease to be accepted, got: ${textOf(cause)}`
    throw new AlvariumError('SIGNER_FAILED', text, { cause })
  }
}
