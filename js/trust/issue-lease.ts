import * as v from 'valibot'
import { toHex } from '../base/bytes/hex.js'
import { randomFill } from '../base/bytes/random.js'
import { integer, LONGEST_TIMEOUT, readOptions, strict } from '../base/options/schema.js'
import { keyHolderOf } from '../keys/key-holder.js'
import type { LogState } from '../keys/leased-key.js'
import type { SignerInput } from '../keys/signer.js'
import { receivedMs } from '../keys/trust-policy.js'
import { leaseOf, writtenLease } from './lease.js'
import { leaseIdentity } from './lease-identity.js'
import type { Allowed } from './policy.js'
import { LONGEST_MS } from './policy-schema.js'

/** What a lease is to say. Lists as in a trust policy; without them, everything that the issuer may say. */
export interface IssueLeaseOptions extends Allowed {
  /** The private key that the lease is for, or a signer that has it. It signs the lease too. */
  readonly subject: SignerInput
  /** For people. Default: no name. */
  readonly name?: string | undefined
  /** Its serial number among the leases of its issuer: 32 lower-case hexadecimal digits. Default: random. */
  readonly serial?: string | undefined
  /** When it begins. Default: now. */
  readonly from?: Date | number | undefined
  /** Milliseconds after which it ends. Default `3_600_000`, an hour. */
  readonly ttlMs?: number | undefined
  /**
   * How much the subject has signed until now in one of its runs: a checkpoint of its own, for example, as `verifyCheckpoint` returns it.
   * Readers who have its checkpoints accept what is in that log however late it arrives, while the issuer's own time lasts.
   */
  readonly log?: LogState | undefined
  /** Most milliseconds that either signature may take. Default `10_000`. */
  readonly signerTimeoutMs?: number | undefined
}

const anything = v.optional(v.unknown())
/** The page of limits shows it. */
export const schema = strict({
  subject: v.unknown(),
  name: anything,
  serial: anything,
  from: anything,
  ttlMs: integer(1, LONGEST_MS, 3_600_000),
  signerTimeoutMs: integer(1, LONGEST_TIMEOUT, 10_000),
  log: v.optional(v.looseObject({})),
  hosts: anything,
  layers: anything,
  actions: anything,
  kinds: anything,
  tags: anything,
})

/**
 * Lets another key sign for some time, in the name of this one: a key in a hardware module or a service then signs once an hour, and not
 * each bundle. Whoever verifies needs a trust policy that has the issuer, and the lease beside the messages.
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
  return writtenLease({ ...lease, subjectSignature, signature: toHex(await owner.sign(identity)) })
}

/** Of a checkpoint, which says more. */
function logOf({ run, size, root }: { readonly [member: string]: unknown }): unknown {
  return { run, size, root }
}

function randomSerial(): string {
  return toHex(randomFill(new Uint8Array(16)))
}
