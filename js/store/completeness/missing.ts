import * as v from 'valibot'
import { quorumMembers, readQuorumIfAny, type WitnessQuorum } from '../../evidence/witness/options.js'
import { conflicts } from '../../foundation/base/errors.js'
import { integer, readOptions, strict } from '../../foundation/base/options/schema.js'
import { receivedMs } from '../../signing/keys/trust-policy.js'
import { type Database, oneRow } from '../database/database.js'
import { CHECKPOINT } from '../ingest/control-messages.js'
import type { VerifySettings } from '../ingest/verify-all.js'
import { optionalNumberIn } from '../rows/columns.js'
import { newCheckpoints, reportOfPart } from './new-part.js'
import { type MissingOfSigner, type PartOfSigner, SignerCompleteness } from './signer-completeness.js'

/** Selects the signers to check for missing messages, and sets limits. */
export interface MissingOptions {
  /** Key id of one signer: 32 lower-case hexadecimal digits. Default: all signers with valid checkpoints. */
  readonly signer?: string | undefined
  /** Maximum number of signers on a page. Default `100`. */
  readonly limit?: number | undefined
  /** The `next` of the previous page. Default: start with the first signer. */
  readonly after?: string | undefined
  /**
   * Limits the page to signers with a checkpoint received since this time, or at an unknown time. The verdict
   * is `'complete in part'` if these checkpoints follow the earlier ones and no message that they list is
   * missing. Otherwise the signer's whole log is checked. Cannot be combined with `witnesses`.
   */
  readonly since?: Date | number | undefined
  /**
   * Milliseconds by which a message's time may lie outside the times of the checkpoints before and after it.
   * Default `60_000`.
   */
  readonly toleranceMs?: number | undefined
  /**
   * Maximum number of messages of a signer, stored or listed. A signer with more has the verdict `'unknown'`.
   * Each message takes about 400 bytes of memory. Default `1_000_000`.
   */
  readonly maxMessages?: number | undefined
  /** Public keys of witnesses, `name+id+key`. Their cosignatures in the stored checkpoints count. */
  readonly witnesses?: WitnessQuorum['witnesses'] | undefined
  /** Number of witnesses that a quorum needs. Default: more than half. */
  readonly quorum?: number | undefined
  /** Signal that cancels the search. The call then throws the signal's reason. */
  readonly signal?: AbortSignal | undefined
}

/** A page of signers, in the order of their key ids. */
export interface MissingPage {
  readonly signers: readonly (MissingOfSigner | PartOfSigner)[]
  /** Value of `after` for the next page. Missing on the last page. */
  readonly next?: string
}

const keyId = v.pipe(v.string('a key id'), v.regex(/^[\da-f]{32}$/, 'a key id of 32 hexadecimal digits'))

/** Valibot schema of {@link MissingOptions}. It is exported for the documentation page of limits. */
export const missingSchema = strict({
  signer: v.optional(keyId),
  limit: integer(1, 10_000, 100),
  after: v.optional(keyId),
  since: v.optional(v.any()),
  toleranceMs: integer(0, 86_400_000, 60_000),
  maxMessages: integer(1, 100_000_000, 1_000_000),
  ...quorumMembers,
  signal: v.optional(v.instance(AbortSignal, 'an AbortSignal')),
})

export async function missingIn(
  database: Database,
  { codec }: VerifySettings,
  options: MissingOptions,
): Promise<MissingPage> {
  const { signer, limit, after, since, witnesses, quorum, ...settings } = readOptions(
    missingSchema,
    options,
    'missing',
  )
  const reader = readQuorumIfAny({ witnesses, quorum }, 'missing')
  const sinceMs = receivedMs(since, 'missing.since')
  if (reader && sinceMs !== undefined) throw conflicts('missing.witnesses', 'since')
  const params = [signer, after, limit + 1]
  const [found, prunedUntil] = await database.read(async (session) => [
    sinceMs === undefined
      ? (await session.query(SIGNERS, params)).map((row) => ({ signer: String(row['signer']) }))
      : await newCheckpoints(session, params, { sinceMs, toleranceMs: settings.toleranceMs }),
    optionalNumberIn(await oneRow(session, PRUNED), 'until'),
  ])
  const context = { database, codec, reader, prunedUntil, ...settings }
  const signers: (MissingOfSigner | PartOfSigner)[] = []
  for (const one of found.slice(0, limit)) {
    const part = 'keys' in one ? await reportOfPart(context, one) : undefined
    signers.push(part ?? (await new SignerCompleteness(context, one.signer).report()))
  }
  const next = found.length > limit ? found[limit - 1]?.signer : undefined
  return { signers, ...(next !== undefined && { next }) }
}

/** Selects the time until which messages may have been pruned. For `forget`, that is the time of the call. */
const PRUNED = 'select max(coalesce(before, at)) as until from alvarium.pruning'

/**
 * Selects signers for whom a key counts ({@link ownedKeys}). Goes along the index from one signer to the next,
 * because a signer can have very many rows.
 */
const SIGNERS = `
  with recursive one (signer) as (
    (select signer from alvarium.beside where kind = ${CHECKPOINT}
      and ($1::text is null or signer = decode($1::text, 'hex')) and ($2::text is null or signer > decode($2::text, 'hex'))
      order by signer limit 1)
    union all
    select (select beside.signer from alvarium.beside where kind = ${CHECKPOINT}
      and $1::text is null and beside.signer > one.signer order by beside.signer limit 1)
    from one where one.signer is not null
  )
  select encode(signer, 'hex') as signer from one
  cross join lateral (
    select from alvarium.beside as own where own.kind = ${CHECKPOINT} and own.signer = one.signer and not exists (
      select from alvarium.beside as other
      where other.kind = ${CHECKPOINT} and other.key = own.key and other.signer < own.signer
    ) limit 1
  ) as counted
  where signer is not null limit $3::integer`
