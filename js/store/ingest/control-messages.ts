import { messageOfNote, noteOfMessage } from '../../evidence/completeness/checkpoint/message.js'
import { verifyReceivedCheckpoint } from '../../evidence/completeness/checkpoint/verify-checkpoint.js'
import { MAX_SIGNATURES, readNote } from '../../evidence/logs/note.js'
import { originIn } from '../../evidence/logs/run-origin.js'
import { ownNote, withLines } from '../../evidence/witness/lines.js'
import { join } from '../../foundation/base/bytes/join.js'
import { type AlvariumError, verdictIn } from '../../foundation/base/errors.js'
import { verifyTurns } from '../../foundation/base/time/turns.js'
import { digestAll } from '../../foundation/core/hashing.js'
import type { LeaseBook, OpenTrust } from '../../signing/keys/trust-policy.js'
import { isCheckpoint, isLease } from '../../verifying/consume/control-messages.js'
import type { ControlVerifier } from '../../verifying/consume/group.js'
import type { WatchTrust } from '../../verifying/consume/watch.js'
import { withTrusted } from '../../verifying/verify/options.js'
import { oneRow, type Session } from '../database/database.js'
import { assertStored } from '../rows/assert-stored.js'
import { byteColumn, bytesIn, decodeHexes, numberIn, numbers } from '../rows/columns.js'
import { sha256 } from '../rows/payload-name.js'
import { type ReceivedMessage, receivedOf } from './message-ids.js'

/** Kinds of control messages. The column `kind` has the index in this list. */
export const KINDS = ['lease', 'checkpoint'] as const
export const [LEASE, CHECKPOINT] = [KINDS.indexOf('lease'), KINDS.indexOf('checkpoint')]

/** Columns of a stored lease or checkpoint that come from its signed bytes. */
export interface SignedPart {
  readonly kind: (typeof KINDS)[number]
  /** Key id of the checkpoint's signer. For a lease, or a checkpoint by a leased key, the issuer's key id. */
  readonly signer: string
  /** Key id of the public key that signed the checkpoint, or that the lease permits. */
  readonly key: string
  /** SHA-256 of the signed bytes, which exclude white space and the signatures of witnesses. */
  readonly identity: Uint8Array
}

/** A verified lease or checkpoint, which a signer publishes in addition to bundles. */
export interface ControlMessage extends ReceivedMessage, SignedPart {
  /**
   * Returns the cosignature lines in a checkpoint's note, but only those of witnesses that the reader trusts.
   */
  readonly witnessLines?: ((note: string) => readonly string[]) | undefined
}

export function kindOf(message: Uint8Array): SignedPart['kind'] | undefined {
  if (isLease(message)) return 'lease'
  return isCheckpoint(message) ? 'checkpoint' : undefined
}

export async function readSignedPart(message: Uint8Array, kind: SignedPart['kind']): Promise<SignedPart> {
  if (kind === 'checkpoint') {
    const { text } = readNote(noteOfMessage(message))
    const { signer } = originIn(text)
    return { kind, signer, key: signer, identity: sha256(new TextEncoder().encode(text)) }
  }
  // Load the code of leases lazily, because few stores have leases.
  const { leaseIdentity, readLease } = await import('../../evidence/trust/leases/lease.js')
  const lease = readLease(message)
  return { kind, signer: lease.issuer, key: lease.keyId, identity: sha256(leaseIdentity(lease)) }
}

/** Verifies a lease or a checkpoint. Skips a lease if there is no trust policy, which says who may issue leases. */
export function verifyControl(
  evidence: ReceivedMessage,
  kind: SignedPart['kind'],
  trust: WatchTrust,
): Promise<ControlMessage | 'skipped' | AlvariumError> {
  return checkControl(evidence, kind, trust).catch(verdictIn)
}

async function checkControl(
  { message, receivedAt }: ReceivedMessage,
  kind: SignedPart['kind'],
  { keyring, leases }: WatchTrust,
): Promise<ControlMessage | 'skipped'> {
  await verifyTurns.yieldIfDue()
  if (kind === 'checkpoint') {
    const given = { keyring, receivedAt, ...(leases && { leases }) }
    const { signedBy } = await verifyReceivedCheckpoint(message, given)
    const signed = await readSignedPart(message, kind)
    const witnessLines = await withTrusted({ keyring }, (trusting) => trusting.witnessLines)
    return { message, receivedAt, ...signed, ...(signedBy && { signer: signedBy.id }), witnessLines }
  }
  const given = { message, receivedAt }
  if (!(await withTrusted({ keyring }, (trusting) => verifyLease(given, trusting, leases)))) return 'skipped'
  return { ...given, ...(await readSignedPart(message, kind)) }
}

export const CONTROL_HANDLER: ControlVerifier<ControlMessage> = {
  verify: ({ message, receivedAt }, trust) =>
    checkControl({ message, receivedAt }, kindOf(message) as SignedPart['kind'], trust),
}

/** Verifies a lease with a new {@link LeaseBook}, because one that has the lease would not verify it again. */
async function verifyLease(
  { message, receivedAt }: ReceivedMessage,
  { leased }: OpenTrust,
  leases: LeaseBook | undefined,
): Promise<boolean> {
  if (!leased) return false
  const book = leased.newBook()
  try {
    await leased.addLease(message, book, receivedAt)
  } finally {
    book.close()
  }
  if (leases) await leased.addLease(message, leases, receivedAt)
  return true
}

/** Stores new control messages. The caller must hold the lock on `alvarium.head`. @returns their number */
export async function addControlMessages(
  session: Session,
  given: readonly ControlMessage[],
): Promise<number> {
  const head = await oneRow(session, 'select beside from alvarium.head')
  const identities = join(given.map(({ identity }) => identity)).bytes
  const added = await session.query(ADD_CONTROL, [
    numberIn(head, 'beside'),
    identities,
    digestAll(given.map(({ message }) => message)),
    decodeHexes(given.map(({ signer }) => signer)),
    numbers(given.map(receivedOf)),
    numbers(given.map(({ kind }) => KINDS.indexOf(kind))),
    ...byteColumn(given.map(({ message }) => message)),
    decodeHexes(given.map(({ key }) => key)),
  ])
  await assertStored(session, 'beside.identity', identities)
  await session.query('update alvarium.head set beside = beside + $1::bigint', [added.length])
  for (const one of given) if (one.witnessLines) await addWitnessLines(session, one, one.witnessLines)
  return added.length
}

/** Adds cosignature lines to a stored checkpoint. Signers first publish a checkpoint without these lines. */
async function addWitnessLines(
  session: Session,
  { identity, message }: ControlMessage,
  linesIn: (note: string) => readonly string[],
): Promise<void> {
  const lines = linesIn(noteOfMessage(message))
  if (lines.length === 0) return
  const select = 'select message from alvarium.beside where identity = $1::bytea'
  const stored = noteOfMessage(bytesIn(await oneRow(session, select, [identity]), 'message'))
  const known = linesIn(stored)
  if (lines.every((line) => known.includes(line))) return
  const more = messageOfNote(withLines(ownNote(stored), [...known, ...lines].slice(0, MAX_SIGNATURES - 1)))
  await session.query(
    'update alvarium.beside set message = $2::bytea, digest = $3::bytea where identity = $1::bytea',
    [identity, more, sha256(more)],
  )
}

/**
 * Inserts new messages. If there are two copies, inserts the first one, because its time of receipt is
 * earlier.
 */
const ADD_CONTROL = `
  with given as (
    select distinct on (identity) identity, kind, received, start, length, row::integer - 1 as place from (
      select substring($2::bytea from 32 * (row::integer - 1) + 1 for 32) as identity, kind, received, start, length, row
      from unnest($5::text::bigint[], $6::text::smallint[], $8::text::integer[], $9::text::integer[])
        with ordinality as given (received, kind, start, length, row)
    ) as given order by identity, row
  )
  insert into alvarium.beside (seq, kind, signer, key, received, identity, digest, message)
  select $1::bigint + row_number() over (order by place) - 1, kind, substring($4::bytea from 16 * place + 1 for 16),
    substring($10::bytea from 16 * place + 1 for 16), received, identity, substring($3::bytea from 32 * place + 1 for 32), substring($7::bytea from start for length)
  from given where not exists (select from alvarium.beside where beside.identity = given.identity)
  returning seq`
