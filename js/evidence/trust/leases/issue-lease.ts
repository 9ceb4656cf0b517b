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

/** Terms of a lease. Lists as in a trust policy; a missing list permits everything that the issuer may say. */
export interface IssueLeaseOptions extends Allowed {
  /** Private key that the lease is for, or a signer that has it. It signs the lease, too. */
  readonly subject: SignerInput
  /** Name for people. Default: no name. */
  readonly name?: string | undefined
  /** Serial number among the leases of its issuer: 32 lower-case hexadecimal digits. Default: random. */
  readonly serial?: string | undefined
  /** Beginning of the lease. Default: now. */
  readonly from?: Date | number | undefined
  /** Duration in milliseconds. Default `3_600_000`, an hour. */
  readonly ttlMs?: number | undefined
  /**
   * State of one of the subject's runs: all that the subject has signed in it until now, such as its own checkpoint
   * from `verifyCheckpoint`. Readers who have the checkpoints of that run accept the messages in its log however late
   * they arrive, while the issuer's own time lasts.
   */
  readonly log?: LogState | undefined
  /** Limit in milliseconds of either signature. Default `10_000`. */
  readonly signerTimeoutMs?: number | undefined
}

const anyValue = v.optional(v.unknown())
/** Options of `issueLease`, exported for the guide's page of limits. */
export const schema = strict({
  subject: v.unknown(),
  name: anyValue,
  serial: anyValue,
  from: anyValue,
  ttlMs: integer(1, MAX_DURATION_MS, 3_600_000),
  signerTimeoutMs: integer(1, MAX_TIMEOUT_MS, 10_000),
  log: v.optional(v.looseObject({})),
  hosts: anyValue,
  layers: anyValue,
  actions: anyValue,
  kinds: anyValue,
  tags: anyValue,
})

/**
 * Lets another key sign for some time, in the name of this one: a key in a hardware module or a service then signs once
 * an hour, and not each bundle. Verifiers need a trust policy that has the issuer, and the lease as well as the
 * messages.
 *
 * @param issuer - the private key whose public key the policies have, or a signer that has it
 * @returns the lease, a message of its own of at most 65,536 bytes (FORMAT.md, lease/1): give it as one of `leases`
 * @throws AlvariumError `CONFIG_INVALID` for what a lease cannot say, `KEY_INVALID`, `SIGNER_FAILED`, and as `loadAlgorithms`
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
    ...{ issuer: owner.keyId, subject: toHex(holder.key), name, serial },
    ...{ from: new Date(begin).toISOString(), until: new Date(begin + ttlMs).toISOString() },
    ...lists,
    ...(log && { log: logOf(log) }),
  })
  const identity = leaseIdentity(lease)
  const subjectSignature = toHex(await holder.sign(identity))
  return writeLease({ ...lease, subjectSignature, signature: toHex(await owner.sign(identity)) })
}

/** Copies the state of a log from a checkpoint, which has more members. */
function logOf({ run, size, root }: { readonly [member: string]: unknown }): unknown {
  return { run, size, root }
}

function randomSerial(): string {
  return toHex(randomFill(new Uint8Array(16)))
}
