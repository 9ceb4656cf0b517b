import { type AlvariumError, isVerdict } from '../base/errors.js'
import { verifyTurns } from '../base/time/turns.js'
import { verifyReceivedCheckpoint } from '../completeness/verify-checkpoint.js'
import { isCheckpoint, isLease } from '../consume/beside.js'
import type { Keyring } from '../keys/keyring.js'
import type { Trusting, TrustPolicy } from '../keys/trust-policy.js'
import { withTrusted } from '../verify/options.js'
import type { Evidence } from './adding.js'
import { byteColumn, numberIn, numbers } from './columns.js'
import type { Row } from './connection.js'
import type { Session } from './database.js'
import { sha256All } from './payload-name.js'

/** What a row has: the table has the place in this list. */
export const KINDS = ['lease', 'checkpoint'] as const

/** A lease or a checkpoint that was verified: what a signer publishes beside its bundles. */
export interface Beside extends Evidence {
  readonly kind: (typeof KINDS)[number]
}

/** What a message is, by its first bytes. */
export function kindOf(message: Uint8Array): Beside['kind'] | undefined {
  if (isLease(message)) return 'lease'
  return isCheckpoint(message) ? 'checkpoint' : undefined
}

/** Verifies a lease or a checkpoint. To keys alone a lease says nothing: only a policy knows who may give one. */
export async function verifyBeside(
  { message, receivedAt }: Evidence,
  kind: Beside['kind'],
  keyring: Keyring | TrustPolicy,
): Promise<Beside | 'passed over' | AlvariumError> {
  await verifyTurns.take()
  try {
    if (kind === 'checkpoint') await verifyReceivedCheckpoint(message, { keyring, receivedAt })
    else if (!(await withTrusted({ keyring }, (trusting) => isGiven(message, trusting)))) return 'passed over'
    return { message, receivedAt, kind }
  } catch (error) {
    if (isVerdict(error)) return error
    throw error
  }
}

async function isGiven(lease: Uint8Array, { leased }: Trusting): Promise<boolean> {
  const book = leased?.newBook()
  try {
    if (book) await leased?.keep(lease, book)
    return book !== undefined
  } finally {
    book?.close()
  }
}

/** Keeps those that are new, each once. The head must be locked. @returns how many are new */
export async function keepBeside(session: Session, given: readonly Beside[]): Promise<number> {
  const [head] = await session.query('select beside from alvarium.head')
  const added = await session.query(KEEP, [
    ...[numberIn(head as Row, 'beside'), byteColumn(sha256All(given.map(({ message }) => message)))[0]],
    numbers(given.map(({ receivedAt }) => (receivedAt === undefined ? undefined : Math.floor(receivedAt)))),
    numbers(given.map(({ kind }) => KINDS.indexOf(kind))),
    ...byteColumn(given.map(({ message }) => message)),
  ])
  await session.query('update alvarium.head set beside = beside + $1::bigint', [added.length])
  return added.length
}

/** Of one that comes twice, the first: that is when it was received. */
const KEEP = `
  with given as (
    select distinct on (digest) digest, kind, received, start, length, row from (
      select substring($2::bytea from 32 * (row::integer - 1) + 1 for 32) as digest, kind, received, start, length, row
      from unnest($3::text::bigint[], $4::text::smallint[], $6::text::integer[], $7::text::integer[])
        with ordinality as given (received, kind, start, length, row)
    ) as given order by digest, row
  )
  insert into alvarium.beside (seq, kind, received, digest, message)
  select $1::bigint + row_number() over (order by row) - 1, kind, received, digest,
    substring($5::bytea from start for length)
  from given where not exists (select from alvarium.beside where beside.digest = given.digest)
  returning seq`
