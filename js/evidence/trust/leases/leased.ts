import * as v from 'valibot'
import { AlvariumError } from '../../../foundation/base/errors.js'
import { type Logger, safeLogger } from '../../../foundation/base/logger.js'
import {
  integer,
  MAX_TIMEOUT_MS,
  readOptions,
  strict,
  withMethods,
} from '../../../foundation/base/options/schema.js'
import {
  type LeaseContext,
  type LeasedKey,
  OPEN_LEASED,
  type Sealing,
} from '../../../signing/keys/leased-key.js'
import type { SignerInput } from '../../../signing/keys/signer.js'
import type { StreamProvider } from '../../../transport/streams/stream.js'
import type { Allowed } from '../policy/policy.js'
import { MAX_DURATION_MS } from '../policy/policy-schema.js'
import { uncheckedTerms } from './issue-lease.js'
import { LeaseRenewal } from './lease-renewal.js'
import { LeaseStream } from './lease-stream.js'

/** Terms and receivers of leases. A list that is missing, such as `kinds`, permits all that the issuer may state. */
export interface LeasedOptions extends Allowed {
  /**
   * Stream on which each lease is published before the first message that needs it. Use a topic next to that
   * of the bundles, such as `alvarium-topic/signers`, from which `subscribe` reads the leases. The SDK
   * connects and closes the stream. `stream`, `onLease` or both are required.
   */
  readonly stream?: StreamProvider | undefined
  /** Number of messages after which the lease is published again for later subscribers. Default 256. */
  readonly every?: number | undefined
  /** Time in milliseconds after which the next message publishes the lease again. Default 60,000. */
  readonly everyMs?: number | undefined
  /**
   * Function that receives each lease before the first message that needs it, and passes it to verifiers. The
   * SDK waits for its promise, and does not use a lease that the function rejects.
   */
  readonly onLease?: ((lease: Uint8Array) => unknown) | undefined
  /** Human-readable name of the leases. Default: no name. */
  readonly name?: string | undefined
  /** Duration of a lease in milliseconds. Default `3_600_000`, an hour. */
  readonly ttlMs?: number | undefined
  /** Time in milliseconds before a lease's end at which the next one is signed. Default: a quarter of `ttlMs`. */
  readonly renewBeforeMs?: number | undefined
  /**
   * Timeout in milliseconds for each signature, each call of `onLease`, and each publication to `stream`.
   * Default `10_000`. A repeated publication without an answer delays the next one for at most this time.
   */
  readonly signerTimeoutMs?: number | undefined
  /** Logger with the methods of pino, for failed renewals and publications. Default: no logger. */
  readonly logger?: Logger | undefined
}

/** Valibot schema of {@link LeasedOptions}. The guide's page of limits is generated from it. */
export const schema = strict({
  stream: v.optional(withMethods<StreamProvider>('a stream with publish()', 'publish')),
  every: integer(1, 1_000_000, 256),
  everyMs: integer(1, MAX_TIMEOUT_MS, 60_000),
  onLease: v.optional(
    v.custom<NonNullable<LeasedOptions['onLease']>>((value) => typeof value === 'function', 'a function'),
  ),
  ttlMs: integer(10_000, MAX_DURATION_MS, 3_600_000),
  renewBeforeMs: v.optional(integer(0, MAX_DURATION_MS, 0), () => undefined),
  signerTimeoutMs: integer(1, MAX_TIMEOUT_MS, 10_000),
  logger: v.optional(v.unknown()),
  ...uncheckedTerms,
})

/**
 * Returns a `signingKey` for `openSdk` that makes a private key in memory. The issuer signs a lease for this
 * key, and the SDK renews the lease in time. If the issuer is unavailable when a lease ends, calls ask the
 * issuer again, at most once a second. Calls without a valid lease reject with `SIGNER_FAILED`. `openSdk`
 * rejects if it gets no lease. A batch is signed before its lease ends or is replaced. Each SDK makes a
 * different key, and wipes it in `close()`.
 *
 * With `checkpoints`, each renewal also states how much the SDK has signed, and so does a last lease in
 * `close()`. If readers pass the checkpoints to `verifyMessage`, it accepts the messages that a lease states,
 * however late they arrive, as long as the issuer is valid.
 *
 * @param issuer - the private key for a public key in the trust policies, or a signer that has the private
 * key
 * @throws AlvariumError `CONFIG_INVALID` naming the option
 *
 * @example
 * ```ts
 * import { leased } from 'alvarium-sdk/trust'
 *
 * await using sdk = await openSdk({
 *   signingKey: leased(signingKey, { stream: mqtt({ url, topic: 'alvarium-topic/signers' }) }),
 *   annotators: [source()],
 *   stream: mqtt({ url, topic: 'alvarium-topic' }),
 * })
 * ```
 *
 * @example Without a broker
 * ```ts
 * const onLease = (lease: Uint8Array) => archive.put(lease)
 * await using sdk = await openSdk({
 *   signingKey: leased(signingKey, { ttlMs: 3_600_000, onLease }),
 *   annotators: [source()],
 *   stream: memory(),
 * })
 * ```
 */
export function leased(issuer: SignerInput, options: LeasedOptions): LeasedKey {
  const settings = readOptions(schema, options, 'leased')
  const { ttlMs, renewBeforeMs = 0 } = settings
  if (renewBeforeMs >= ttlMs) {
    const text = `leased.renewBeforeMs: expected less than ttlMs (${ttlMs}), got ${renewBeforeMs}`
    throw new AlvariumError('CONFIG_INVALID', text)
  }
  const { stream, onLease } = settings
  if (!stream && !onLease) {
    throw new AlvariumError('CONFIG_INVALID', 'leased: needs stream or onLease')
  }
  const logger = safeLogger(options.logger)
  return {
    ttlMs,
    [OPEN_LEASED]: async (open, context) => {
      const published = stream && new LeaseStream({ ...settings, stream }, logger)
      await published?.open(context)
      const { log } = context
      const lease = new LeaseRenewal(issuer, { ...settings, leaseStream: published, log }, logger)
      try {
        await lease.renew()
        return leaseSealing(lease, await open(lease.signingKey), published, log)
      } catch (error) {
        lease.close()
        await published?.close()
        throw error
      }
    },
  }
}

/** Returns a `Sealer` (signer of bundles) that rejects calls while its key has no lease. */
function leaseSealing<Opened extends Sealing>(
  lease: LeaseRenewal,
  sealer: Opened,
  published: LeaseStream | undefined,
  log: LeaseContext['log'],
): Opened {
  const seal = (call: never) => {
    lease.assertValid()
    published?.republishIfDue()
    return sealer.seal(call)
  }
  return {
    ...sealer,
    seal: (call: never) => {
      const renewal = lease.isValid ? undefined : lease.ask()
      return renewal ? renewal.then(() => seal(call)) : seal(call)
    },
    add: (call: never) => {
      lease.assertValid()
      return sealer.add(call)
    },
    onBatchDue: (seal: () => void) => {
      lease.sealBatch = seal
    },
    sealBatch: () => {
      const sealed = sealInTime(lease, sealer, log)
      published?.republishIfDue()
      return sealed
    },
    logSigner: sealer.logSigner && { ...sealer.logSigner, lease },
    end: async () => {
      await lease.end()
      await published?.close()
    },
    free: () => {
      lease.close()
      sealer.free()
    },
  }
}

function sealInTime(
  lease: LeaseRenewal,
  sealer: Sealing,
  log: LeaseContext['log'],
): ReturnType<Sealing['sealBatch']> {
  // Sign before checking the lease. If the check threw first, the bundles of this batch would go into the next batch.
  const sealed = sealer.sealBatch()
  try {
    lease.assertNotOver()
  } catch (error) {
    if (!('then' in sealed)) log?.refused(sealed.message)
    throw error
  }
  return sealed
}
