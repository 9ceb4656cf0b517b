import * as v from 'valibot'
import { toHex } from '../../../foundation/base/bytes/hex.js'
import { randomFill } from '../../../foundation/base/bytes/random.js'
import { integer, MAX_TIMEOUT_MS, readOptions, strict } from '../../../foundation/base/options/schema.js'
import { keyHolderOf } from '../../../signing/keys/key-holder.js'
import type { LogState } from '../../../signing/keys/leased-key.js'
import type { SignerInput } from '../../../signing/keys/signer.js'
import { receivedMs } from '../../../signing/keys/trust-policy.js'
import type { Allowed } from '../policy/policy.js'
import { MAX_DURATION_MS } from '../policy/policy-schema.js'
import { leaseIdentity, leaseOf, writeLease } from './lease.js'

/** Terms of a lease. A list that is missing, such as `kinds`, permits all that the issuer itself may state. */
export interface IssueLeaseOptions extends Allowed {
  /**
   * Private key of the lease's subject, or a signer that has the key. The subject and the issuer both sign
   * the lease.
   */
  readonly subject: SignerInput
  /** Human-readable name of the lease. Default: no name. */
  readonly name?: string | undefined
  /** Serial number among the leases of the issuer: 32 lower-case hexadecimal digits. Default: random. */
  readonly serial?: string | undefined
  /** Time at which the lease begins. Default: now. */
  readonly from?: Date | number | undefined
  /** Duration in milliseconds. Default `3_600_000`, an hour. */
  readonly ttlMs?: number | undefined
  /**
   * Run, size and root of a log of the subject, for example from `verifyCheckpoint`. With it, the issuer
   * states that the subject had signed the log's messages by `from`. Readers who have the checkpoints of the
   * run accept these messages however late they arrive, unless the issuer or the lease is revoked. If the
   * issuer's validity has ended, the readers must have received the lease in time.
   */
  readonly log?: LogState | undefined
  /** Timeout for each of the two signatures in milliseconds. Default `10_000`. */
  readonly signerTimeoutMs?: number | undefined
}

const anyValue = v.optional(v.unknown())
/** Terms that only {@link issueLease} checks, when it makes the lease. */
export const uncheckedTerms = {
  name: anyValue,
  hosts: anyValue,
  layers: anyValue,
  actions: anyValue,
  kinds: anyValue,
  tags: anyValue,
}
/** Valibot schema of {@link IssueLeaseOptions}. The guide's page of limits is generated from it. */
export const schema = strict({
  subject: v.unknown(),
  serial: anyValue,
  from: anyValue,
  ttlMs: integer(1, MAX_DURATION_MS, 3_600_000),
  signerTimeoutMs: integer(1, MAX_TIMEOUT_MS, 10_000),
  log: v.optional(v.looseObject({})),
  ...uncheckedTerms,
})

/**
 * Issues a lease, which lets another key sign for some time in the name of the issuer. A key in a hardware module or a
 * service then signs once an hour instead of for each bundle. Verifiers need the lease, and a trust policy that
 * contains the issuer.
 *
 * @param issuer - the private key for a public key in the trust policies, or a signer that has the private key
 * @returns the lease as a message of at most 65,536 bytes (FORMAT.md, lease/1), for the option `leases`
 * @throws TypeError if `from` is not a time
 * @throws AlvariumError `CONFIG_INVALID` for invalid terms, `KEY_INVALID`, `SIGNER_FAILED`, and as `loadAlgorithms`
 *
 * @example
 * ```ts
 * const own = generateKey()
 * const lease = await issueLease(signingKey, { subject: own.signingKey, name: 'edge-7', kinds: ['src'] })
 * await using sdk = await openSdk({ signingKey: own.signingKey, annotators: [source()], stream: memory() })
 * const { message } = await sdk.create(payload)
 * const { signedBy } = await verifyMessage(message, { keyring: trust, leases: [lease] })
 * console.log(signedBy?.name, signedBy?.lease?.name) // gateway-1 edge-7
 * ```
 */
export async function issueLease(issuer: SignerInput, options: IssueLeaseOptions): Promise<Uint8Array> {
  const given = readOptions(schema, options, 'issueLease')
  const { subject, from, ttlMs, signerTimeoutMs, name = '', serial = randomSerial(), log, ...lists } = given
  const begin = receivedMs(from as Date | undefined, 'from') ?? Date.now()
  const owner = await keyHolderOf(issuer, signerTimeoutMs)
  const holder = await keyHolderOf(subject as SignerInput, signerTimeoutMs)
  const lease = leaseOf({
    issuer: owner.keyId,
    subject: toHex(holder.key),
    name,
    serial,
    from: new Date(begin).toISOString(),
    until: new Date(begin + ttlMs).toISOString(),
    ...lists,
    ...(log && { log: logOf(log) }),
  })
  const identity = leaseIdentity(lease)
  const subjectSignature = toHex(await holder.sign(identity))
  return writeLease({ ...lease, subjectSignature, signature: toHex(await owner.sign(identity)) })
}

/** Returns the run, size and root of a log, without the other members of a checkpoint. */
function logOf({ run, size, root }: { readonly [member: string]: unknown }): unknown {
  return { run, size, root }
}

function randomSerial(): string {
  return toHex(randomFill(new Uint8Array(16)))
}
