import { type AlvariumError, textOf } from '../../foundation/base/errors.js'
import { type ListenerOptions, SafeEventTarget } from '../../foundation/base/events.js'
import type { Logger } from '../../foundation/base/logger.js'
import { canonicalBytes } from '../../foundation/base/text/canonical.js'
import { digestOf } from '../../foundation/core/hashing.js'
import type { Bundle } from '../../foundation/model/bundle.js'
import { platform } from '../../foundation/platform/platform.js'
import type { Keyring } from '../../signing/keys/keyring.js'
import { copyLeases } from '../../signing/keys/lease-options.js'
import { type OpenTrust, receivedMs, TRUST, type TrustPolicy } from '../../signing/keys/trust-policy.js'
import { linesOf } from '../witness/lines.js'
import {
  comparePolicies,
  isEmpty,
  type SignerTexts,
  TRUST_EVENTS,
  type TrustEventMap,
  TrustUpdatedEvent,
  TrustUpdateFailedEvent,
  writeSigners,
} from './events.js'
import { Leases } from './leases/leases.js'
import type { Explanation } from './permits/explain.js'
import { PolicyPermits } from './permits/policy-permits.js'
import type { Policy } from './policy/policy.js'
import { copyPolicy, readSource } from './policy/policy-source.js'
import { type OpenKeys, readPolicy } from './policy/read-policy.js'
import { describeSkipped } from './policy/skipped-keys.js'

/** Time of receipt, and leases, for the explanation of a bundle. */
export interface ExplainOptions {
  /** Time at which the bundle's message was received, as a `Date` or in milliseconds since 1970. Default: unknown. */
  readonly receivedAt?: Date | number | undefined
  /** Leases for other keys, as in `verifyMessage`. */
  readonly leases?: readonly Uint8Array[] | undefined
}

/** Policy in force, with its keys, its leases, and the check that it applies to bundles. */
interface OpenPolicy extends OpenTrust, OpenKeys {
  readonly keyring: Keyring
  readonly leased: Leases
  readonly judge: PolicyPermits
  readonly signerTexts: SignerTexts
  /** JSON of the witnesses and their quorum. */
  readonly quorumText: string
  /** Policy before its validation: as passed, parsed, or made from `allowed_signers` or a JSON Web Key Set. */
  readonly source: Policy
  readonly skippedKeys: readonly string[]
}

/**
 * Opens a policy in any form that `readTrust` accepts.
 *
 * @param before - previous policy; its keys are not read again
 */
export async function openPolicy(source: unknown, before?: OpenKeys): Promise<OpenPolicy> {
  const { policy: given, skippedKeys } = await readSource(source)
  const { policy, ...keys } = await readPolicy(given, before)
  const judge = new PolicyPermits(policy)
  const leased = new Leases(keys.keyring, judge)
  const { witnesses } = policy
  const witnessLines = witnesses && ((note: string) => linesOf(note, witnesses))
  return {
    ...keys,
    judge,
    leased,
    witnessLines,
    skippedKeys,
    source: given,
    signerTexts: await writeSigners(given),
    quorumText: JSON.stringify([witnesses?.quorum, witnesses?.witnesses.map(({ vkey }) => vkey)]),
  }
}

/** Symbol of the internal method that reloads the policy whenever its file changes. */
export const FOLLOW: unique symbol = Symbol('follow')

/**
 * Trust policy that {@link readTrust} returns: who may sign what, and until when. Pass it as `keyring` to any
 * function with that option.
 *
 * @example
 * ```ts
 * await trust.update({ signers: [{ name: 'gateway-1', keys: [keyText], revoked: { since: '2026-11-20T10:00:00Z' } }] })
 * ```
 */
export class Trust implements TrustPolicy {
  readonly #events: SafeEventTarget
  readonly #logger: Logger
  #current: OpenPolicy
  #updating: Promise<unknown> = Promise.resolve()
  #unwatch: (() => void) | undefined

  /** @internal */
  constructor(current: OpenPolicy, logger: Logger) {
    this.#current = current
    this.#logger = logger
    this.#events = new SafeEventTarget(TRUST_EVENTS, logger)
    this.#logSkipped()
  }

  /** Names of the signers, in the order of the policy. */
  get signers(): readonly string[] {
    return this.#current.judge.signers
  }

  /**
   * SHA-256 of the policy as canonical JSON (RFC 8785): 64 lower-case hexadecimal digits. Store the digest
   * with a decision to identify the policy that was applied. The same policy in YAML has the same digest.
   *
   * @example
   * ```ts
   * console.log(trust.digest.length) // 64
   * ```
   */
  get digest(): string {
    return digestOf(canonicalBytes(this.#current.source))
  }

  /**
   * Place and kind of each skipped key of an `allowed_signers` file or a JSON Web Key Set. Keys that cannot
   * be used, such as RSA keys, are skipped and logged.
   *
   * @example
   * ```ts
   * console.log(trust.skippedKeys) // such as [ 'line 3: ssh-rsa' ]
   * ```
   */
  get skippedKeys(): readonly string[] {
    return this.#current.skippedKeys
  }

  #logSkipped(): void {
    const { skippedKeys } = this
    if (skippedKeys.length > 0)
      this.#logger.warn({ keys: skippedKeys.length }, `the trust policy: ${describeSkipped(skippedKeys)}`)
  }

  /** @internal */
  get [TRUST](): OpenTrust {
    return this.#current
  }

  /**
   * Replaces the policy. Accepts any form that {@link readTrust} reads. The new policy decides about messages
   * that are verified from then on. An invalid policy changes nothing.
   *
   * @throws AlvariumError `CONFIG_INVALID`, with a line for each invalid member, at most 50
   */
  async update(source: Policy | string): Promise<void> {
    const given = copyPolicy(source)
    await this.#update(() => given)
  }

  #update(source: () => Policy | string): Promise<void> {
    const updated = this.#updating.then(async () => this.#replace(await openPolicy(source(), this.#current)))
    this.#updating = updated.catch(() => undefined)
    return updated
  }

  #replace(next: OpenPolicy): void {
    const before = this.#current
    this.#current = next
    // Close the old keyring to free its memory. Calls in progress still use that keyring, and rebuild its keys.
    if (before.keyring !== next.keyring) before.keyring.close()
    before.leased.close()
    const difference = comparePolicies(before.signerTexts, next.signerTexts)
    if (before.skippedKeys.join() !== next.skippedKeys.join()) this.#logSkipped()
    if (isEmpty(difference) && before.quorumText === next.quorumText) return
    this.#logger.info({ ...difference }, 'the trust policy has changed')
    this.#events.dispatchEvent(new TrustUpdatedEvent(difference))
  }

  /**
   * Explains why the policy allows or refuses a bundle: every field that it checks, and the entry that allows
   * the field. Does not verify the signature.
   *
   * @param bundle - a bundle from `verifyMessage`, or from a message that was refused
   * @throws TypeError if `receivedAt` is not a time, or a lease is not bytes
   * @throws AlvariumError `CONFIG_INVALID` for too many leases
   *
   * @example
   * ```ts
   * const { verdict, findings } = await trust.explain(bundle, { receivedAt: Date.now() })
   * console.log(verdict, findings.filter(({ isAllowed }) => !isAllowed))
   * ```
   */
  async explain(bundle: Bundle, options: ExplainOptions = {}): Promise<Explanation> {
    const receivedAt = receivedMs(options.receivedAt)
    return this.#current.leased.explained(copyLeases(options) ?? [], bundle, receivedAt)
  }

  /** Adds a listener for an event of {@link TrustEventMap}. Errors of a listener are logged. */
  addEventListener<Type extends keyof TrustEventMap>(
    type: Type,
    listener: (event: TrustEventMap[Type]) => void,
    options?: ListenerOptions,
  ): void {
    this.#events.addEventListener(type, listener as EventListener, options)
  }

  /** Removes a listener that was added for the same type. */
  removeEventListener<Type extends keyof TrustEventMap>(
    type: Type,
    listener: (event: TrustEventMap[Type]) => void,
  ): void {
    this.#events.removeEventListener(type, listener as EventListener)
  }

  /**
   * Stops watching the file, and frees memory in the WebAssembly core. A later use of the policy allocates
   * the memory again.
   */
  async close(): Promise<void> {
    this.#unwatch?.()
    this.#unwatch = undefined
    await this.#updating
    this.#current.keyring.close()
    this.#current.leased.close()
  }

  /** Closes the trust policy, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  /** @internal */
  async [FOLLOW](path: string, everyMs: number): Promise<void> {
    let isWaiting = false
    /** Text of the last error, so that an error is reported only once. */
    let lastText: string | undefined
    const begin = () => {
      isWaiting = false
      return path
    }
    const files = await platform.policyFiles?.()
    this.#unwatch = files?.watch(path, everyMs, async () => {
      // Skip this change, because the update that is already waiting will read the newest file.
      if (isWaiting) return true
      isWaiting = true
      try {
        await this.#update(begin)
        lastText = undefined
        return true
      } catch (error) {
        if (textOf(error) !== lastText) this.#failed(error as AlvariumError)
        lastText = textOf(error)
        return false
      }
    })
  }

  #failed(error: AlvariumError): void {
    this.#logger.error({ err: error }, 'the trust policy could not be updated, and holds as it was')
    this.#events.dispatchEvent(new TrustUpdateFailedEvent(error))
  }
}
