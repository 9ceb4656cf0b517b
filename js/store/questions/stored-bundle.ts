import { AlvariumError } from '../../foundation/base/errors.js'
import { verifyTurns } from '../../foundation/base/time/turns.js'
import { ACTIONS, type Action, type Annotation, type HashName } from '../../foundation/model/bundle.js'
import { type Judged, outcomeOfCode } from '../../foundation/model/outcome.js'
import type { PayloadName } from '../../verifying/score/payload-name.js'
import type { Row } from '../database/connection.js'
import type { Session } from '../database/database.js'
import {
  bitAt,
  bytesIn,
  givenNumber,
  hexColumn,
  numberIn,
  numbers,
  numbersIn,
  optionalNumberIn,
} from '../rows/columns.js'
import { MAX_ROWS, partsOf } from '../rows/groups.js'
import { timestampIn } from '../rows/moment.js'
import { datumName, payloadName, setId } from '../rows/payload-name.js'
import type { StringTable } from '../rows/string-table.js'
import type { TrustedReader, TrustVerdict } from '../scoring/trusted.js'

/** A stored bundle, or one annotation of another SDK, which has no action. */
export interface StoredBundle {
  /** Position in the store, from 0. Later bundles have higher positions. */
  readonly seq: number
  /**
   * Id of the bundle, as in `VerifiedBundle`. For an annotation of another SDK, a SHA-256 of its signed
   * values and its signer.
   */
  readonly id: string
  /** Action of the bundle. Missing for an annotation of another SDK, because there the action is not signed. */
  readonly action?: Action
  /** Key id of the signer: 32 lower-case hexadecimal digits. */
  readonly signer: string
  /** Name of the signer in the trust policy that permitted the bundle when it was stored. */
  readonly signedBy?: string
  /** Payload key. Digests are in upper case, whatever the message has. */
  readonly key: string
  readonly hash: HashName
  /** Key of the payload from which the bundle's payload was made, if the signer names that key. */
  readonly previousKey?: string
  /** Number of inputs of the payload, if the signer names them. `lineage` and `about` list them. */
  readonly inputCount?: number
  readonly host: string
  /** One of the four layers. For an annotation of another SDK it can be any text, or empty. */
  readonly layer: string
  /** Signed time: RFC 3339, exactly as signed. */
  readonly timestamp: string
  /** Time of receipt of the message in milliseconds since 1970, if known. */
  readonly receivedAt?: number
  /** Annotations, in the order of the bundle. Their ids are only in the message, which `export` returns. */
  readonly annotations: readonly Omit<Annotation, 'id'>[]
  /**
   * Verdict of the policy in the option `trust`. In contrast, `signedBy` above was set by the policy that was
   * used when the bundle was stored.
   */
  readonly trusted?: TrustedBundle
}

/** Verdict of a trust policy on a stored bundle. */
export interface TrustedBundle extends Judged {
  /** Error code of `AlvariumError`, if the policy refuses the bundle. */
  readonly code?: string
  /** Name of the signer in the trust policy, if the policy permits the bundle. */
  readonly signedBy?: string
}

export const BUNDLE_COLUMNS = `
  bundle.seq, bundle.evidence, place, encode(leaf.id, 'hex') as id, action, signer, signed_by, host, layer, at::text as at, spelled, kinds, tags, ok,
  datum, previous, cardinality(inputs) as input_count, received`

/** SQL joins for {@link BUNDLE_COLUMNS}, to add after the table `bundle`. */
export const BUNDLE_JOINS = `
  join alvarium.leaf on leaf.seq = bundle.seq join alvarium.evidence on evidence.seq = bundle.evidence`

export interface PageSource {
  readonly session: Session
  readonly strings: StringTable
  readonly trusted: TrustedReader | undefined
}

export async function storedBundles(
  { session, strings, trusted }: PageSource,
  rows: readonly Row[],
): Promise<StoredBundle[]> {
  const words = ['signer', 'signed_by', 'host', 'layer']
  await strings.learn(session, rows, { words, lists: ['kinds', 'tags'] })
  const { payloads } = await inputNames(session, numbersIn(rows, ['datum', 'previous']))
  const bundles = rows.map((row) => storedBundle(row, strings, payloads))
  if (!trusted) return bundles
  const verdicts = await trusted.of(session, rows)
  return bundles.map((bundle, at) => ({ ...bundle, trusted: trustedBundle(verdicts[at] as TrustVerdict) }))
}

function trustedBundle(verdict: TrustVerdict): TrustedBundle {
  if (verdict instanceof AlvariumError) {
    const { code, message: says } = verdict
    const needs = code === 'SIGNER_UNKNOWN' ? 'add the signer to the trust policy' : undefined
    return { outcome: outcomeOfCode(code), code, says, ...(needs !== undefined && { needs }) }
  }
  const { signedBy } = verdict
  const says = 'the trust policy accepts it'
  return { outcome: 'holds', says, ...(signedBy !== undefined && { signedBy }) }
}

function storedBundle(row: Row, strings: StringTable, names: ReadonlyMap<number, PayloadName>): StoredBundle {
  const word = (name: string) => strings.text(numberIn(row, name))
  const [action, signedBy] = [optionalNumberIn(row, 'action'), optionalNumberIn(row, 'signed_by')]
  const previous = optionalNumberIn(row, 'previous')
  return {
    seq: numberIn(row, 'seq'),
    id: String(row['id']),
    ...(action !== undefined && { action: ACTIONS[action] as Action }),
    signer: word('signer'),
    ...(signedBy !== undefined && { signedBy: strings.text(signedBy) }),
    ...(names.get(numberIn(row, 'datum')) as PayloadName),
    ...(previous !== undefined && { previousKey: (names.get(previous) as PayloadName).key }),
    ...givenNumber(row, 'input_count', 'inputCount'),
    host: word('host'),
    layer: word('layer'),
    timestamp: timestampIn(row),
    ...givenNumber(row, 'received', 'receivedAt'),
    annotations: annotationsIn(row, strings),
  }
}

/** Reads the annotations from the columns `kinds`, `tags` and `ok`. Their words must be in the cache. */
export function annotationsIn(row: Row, strings: StringTable): Omit<Annotation, 'id'>[] {
  const ok = bytesIn(row, 'ok')
  const tags = strings.texts(numberIn(row, 'tags'))
  return strings.texts(numberIn(row, 'kinds')).map((kind, at) => {
    return { kind, tag: tags[at] as string, isSatisfied: bitAt(ok, at) }
  })
}

/**
 * Names of payloads and sets by id. `pruned` has the number of pruned bundles of a payload, and `forgotten`
 * the time at which `forget` last removed a bundle of the payload.
 */
export interface InputNames {
  readonly payloads: Map<number, PayloadName>
  readonly sets: Map<number, string>
  readonly pruned: Map<number, number>
  readonly forgotten: Map<number, number>
}

export function noNames(): InputNames {
  return { payloads: new Map(), sets: new Map(), pruned: new Map(), forgotten: new Map() }
}

export async function inputNames(session: Session, ids: readonly number[]): Promise<InputNames> {
  const names = noNames()
  for (const part of partsOf([...new Set(ids)], MAX_ROWS)) {
    await verifyTurns.yieldIfDueLong()
    addNames(names, await session.query(NAMES, [numbers(part)]))
  }
  return names
}

export function addNames({ payloads, sets, pruned, forgotten }: InputNames, rows: readonly Row[]): void {
  for (const row of rows) {
    const [id, hash, digest] = [numberIn(row, 'id'), numberIn(row, 'hash'), bytesIn(row, 'digest')]
    const set = setId(hash, digest)
    const text = row['text'] === null ? undefined : bytesIn(row, 'text')
    if (set === undefined) payloads.set(id, payloadName(hash, digest, text))
    else sets.set(id, set)
    const prunedCount = numberIn(row, 'pruned')
    if (prunedCount > 0) pruned.set(id, prunedCount)
    const forgottenAt = optionalNumberIn(row, 'forgotten')
    if (forgottenAt !== undefined) forgotten.set(id, forgottenAt)
  }
}

/** Returns a query for the names of payloads by id. The ids are in a subquery, because a join takes twice as long. */
export const namesOf = (numbers: string) => `
  select id, hash, digest, text, pruned, forgotten from alvarium.datum where id = any(array(select unnest(${numbers}::text::bigint[])))`
const NAMES = namesOf('$1')

/**
 * Looks up payload names. For each name that the store has, returns the id, and the index of the name in
 * `names`.
 */
export async function datumIds(
  session: Session,
  names: readonly PayloadName[],
): Promise<Map<number, number>> {
  const data = names.map(datumName)
  const digests = hexColumn(data.map(({ digest }) => digest))
  const rows = await session.query(DATUM_IDS, [...digests, numbers(data.map(({ hash }) => hash))])
  return new Map(rows.map((row) => [numberIn(row, 'place') - 1, numberIn(row, 'id')]))
}

const DATUM_IDS = `
  select place, datum.id
  from (select decode($1::text, 'hex') as digests offset 0) as given_digests,
    unnest($2::text::integer[], $3::text::integer[], $4::text::smallint[])
    with ordinality as given (start, length, hash, place)
  cross join lateral (
    select id from alvarium.datum
    where datum.hash = given.hash and digest = substring(digests from given.start for given.length)
    offset 0
  ) as datum`
