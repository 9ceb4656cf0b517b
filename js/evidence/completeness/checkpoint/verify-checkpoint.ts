import { toHex } from '../../../foundation/base/bytes/hex.js'
import { assertNames } from '../../../foundation/base/options/names.js'
import { milliseconds, nanoseconds } from '../../../foundation/base/time/timestamp.js'
import { assertKnown, assertSigned } from '../../../signing/keys/keyring-use.js'
import { copyLeases, type LeaseOptions } from '../../../signing/keys/lease-options.js'
import { type JudgedKeyring, receivedMs, type SignedBy } from '../../../signing/keys/trust-policy.js'
import type { ReceivedOptions } from '../../../verifying/verify/messages.js'
import { type VerifyOptions, withLeases } from '../../../verifying/verify/options.js'
import { noteKeyId, readNote, signatureOf } from '../../logs/note.js'
import { originIn, originOf } from '../../logs/run-origin.js'
import { noteOfMessage } from './message.js'
import { readTextInTurns } from './read-text.js'
import type { Checkpoint } from './text.js'

/** @internal Checkpoint with a verified signature, before a trust policy permits it. */
export type SignedCheckpoint = Omit<VerifiedCheckpoint, 'signedBy'>

type ReceivedCheckpointOptions = Pick<VerifyOptions, 'receivedAt'> & ReceivedOptions

/** A checkpoint with a verified signature. */
export interface VerifiedCheckpoint extends Checkpoint {
  /** Owner of the key, according to a trust policy. Undefined with a `Keyring`. */
  readonly signedBy?: SignedBy
  /** The received note in C2SP signed-note format, as a proof that tools for this format can verify. */
  readonly note: string
}

/**
 * Verifies a checkpoint. If the signer is unknown, does not parse the list of messages. For a leased key,
 * pass the lease in `leases`. If the checkpoint arrives after the lease has ended and `acceptLateMs` of the
 * policy has passed, a lease must also contain the size and root of the log at this checkpoint or a later
 * one. Pass the later checkpoints up to that size in `checkpoints`.
 *
 * @throws AlvariumError `MESSAGE_MALFORMED`, `SIGNER_UNKNOWN`, `SIGNATURE_INVALID`; with a policy
 *   `SIGNER_EXPIRED`, `SIGNER_REVOKED`, `SIGNER_NOT_ALLOWED`; `CONFIG_INVALID` for `leases` without a policy,
 *   for too many leases, or for an unknown option; `KEY_INVALID`
 * @throws TypeError when `message` is not a `Uint8Array`, or `receivedAt` is not a time
 *
 * @example
 * ```ts
 * import { isCheckpoint, verifyCheckpoint } from 'alvarium-sdk/completeness'
 *
 * if (isCheckpoint(message)) {
 *   const { signer, size } = await verifyCheckpoint(message, { keyring })
 *   console.log(`${signer} has signed ${size} messages`)
 * }
 * ```
 */
export async function verifyCheckpoint(
  message: Uint8Array,
  options: Pick<VerifyOptions, 'keyring' | 'receivedAt' | 'leases' | 'checkpoints'>,
): Promise<VerifiedCheckpoint> {
  assertNames(options, ['keyring', 'receivedAt', 'leases', 'checkpoints'])
  return verifyReceivedCheckpoint(message, options)
}

/** @internal Verifies a checkpoint. Adds it to a given `LeaseBook` if its signature is valid, even if the policy refuses it. */
export async function verifyReceivedCheckpoint(
  message: Uint8Array,
  options: ReceivedCheckpointOptions,
): Promise<VerifiedCheckpoint> {
  const receivedAt = receivedMs(options.receivedAt)
  const leases = copyLeases(options)
  const signed = readParts(message)
  return withLeases(options, leases, async (trusted) =>
    assertPermitted(await assertGenuine(signed, trusted), trusted, leases, receivedAt),
  )
}

/** @internal Reads a checkpoint and verifies its signature. */
export async function readSignedCheckpoint(
  message: Uint8Array,
  options: ReceivedCheckpointOptions,
): Promise<SignedCheckpoint> {
  const signed = readParts(message)
  return withLeases(options, copyLeases(options), (trusted) => assertGenuine(signed, trusted))
}

/** @internal Asserts that the trust policy permits a checkpoint with a verified signature. */
export async function permitCheckpoint(
  checkpoint: SignedCheckpoint,
  options: ReceivedCheckpointOptions,
): Promise<VerifiedCheckpoint> {
  const receivedAt = receivedMs(options.receivedAt)
  const leases = copyLeases(options)
  return withLeases(options, leases, (trusted) => {
    assertKnown(trusted.keyring, checkpoint.signer)
    return assertPermitted(checkpoint, trusted, leases, receivedAt)
  })
}

function readParts(message: Uint8Array) {
  const note = noteOfMessage(message)
  const { text, signatures } = readNote(note)
  return { note, text, signatures, ...originIn(text) }
}

async function assertGenuine(
  { note, text, signatures, signer, run }: ReturnType<typeof readParts>,
  { keyring }: JudgedKeyring,
): Promise<SignedCheckpoint> {
  assertKnown(keyring, signer)
  const name = originOf(signer, run)
  const keyId = toHex(noteKeyId(name, keyring.ed25519(signer)))
  const signature = signatureOf({ text, signatures }, name, keyId)
  assertSigned(keyring, signer, new TextEncoder().encode(text), signature)
  return { ...(await readTextInTurns(text)), note }
}

function assertPermitted(
  checkpoint: SignedCheckpoint,
  { judge }: JudgedKeyring,
  leases: LeaseOptions['leases'],
  receivedAt: number | undefined,
): VerifiedCheckpoint {
  if (leases && 'log' in leases) leases.log(checkpoint)
  const at = milliseconds(nanoseconds(checkpoint.at) as bigint)
  const signedBy = judge?.checkpoint(checkpoint, at, receivedAt)
  return { ...checkpoint, ...(signedBy && { signedBy }) }
}
