import { readOptions, strict } from '../../foundation/base/options/schema.js'
import type { PayloadName } from '../../verifying/score/payload-name.js'
import type { TrustApplied } from '../../verifying/score/scoring-input.js'
import type { Row, Statement } from '../database/connection.js'
import type { Session } from '../database/database.js'
import { bitAt, bytesIn, numberIn } from '../rows/columns.js'
import type { StringTable } from '../rows/string-table.js'
import { AcceptedBundles } from '../scoring/accepted.js'
import { type TrustOption, trustSchema } from '../scoring/options.js'
import type { TrustedReader } from '../scoring/trusted.js'
import { keepNumbers, NUMBERS, PAYLOAD_NUMBER, type PayloadLookup } from './payload-lookup.js'
import { addNames, type InputNames, inputNames, namesOf, noNames } from './stored-bundle.js'

/** Facts about a payload, from the bundles in the store. */
export interface AboutPayload extends PayloadName {
  /** Number of bundles about the payload. Annotations of other SDKs count one by one. */
  readonly bundles: number
  /** Number of pruned bundles about the payload. */
  readonly pruned: number
  /**
   * Time at which `forget` last removed a bundle about this payload, in milliseconds since 1970. `forget`
   * also removes a bundle about this payload if the bundle names a forgotten payload, for example as an
   * input. Missing if `forget` removed no bundle about this payload.
   */
  readonly forgottenAt?: number
  /** Counts of satisfied and unsatisfied annotations, by kind. */
  readonly answers: ReadonlyMap<string, { readonly yes: number; readonly no: number }>
  /** Number of bundles by signer: the signer's name in the trust policy, or else the key id. */
  readonly signers: ReadonlyMap<string, number>
  /** Number of bundles by host. */
  readonly hosts: ReadonlyMap<string, number>
  /** Payloads from which this one was made, according to the signers. At most 1,000. */
  readonly madeFrom: readonly PayloadName[]
  /** Ids of the sealed sets from which this payload was made. At most 1,000 together with the names in `madeFrom`. */
  readonly madeFromSets: readonly string[]
  /** Payloads that were made from this one, according to the signers. At most 1,000. */
  readonly madeInto: readonly PayloadName[]
  /** Trust policy that was applied, and the bundles that it refused. Missing without the option `trust`. */
  readonly trust?: TrustApplied
}

/** Selects the trust policy for `about`. */
export interface AboutOptions extends TrustOption {}

const schema = strict({ trust: trustSchema })

export function readAboutOptions(options: AboutOptions = {}): AboutOptions {
  return readOptions(schema, options, 'about')
}

/** Bundles from the same signer and host, with the same kinds of annotations and the same values of `isSatisfied`. */
interface AnswerGroup {
  readonly signer: string
  readonly host: string
  readonly count: number
  readonly answers: readonly { readonly kind: string; readonly isSatisfied: boolean }[]
}

async function readAnswerGroups(
  session: Session,
  strings: StringTable,
  rows: readonly Row[],
): Promise<AnswerGroup[]> {
  await strings.learn(session, rows, { words: ['signer', 'host'], lists: ['kinds'] })
  return rows.map((row) => {
    const word = (name: string) => strings.text(numberIn(row, name))
    const ok = bytesIn(row, 'ok')
    const kinds = strings.texts(numberIn(row, 'kinds'))
    const answers = kinds.map((kind, at) => ({ kind, isSatisfied: bitAt(ok, at) }))
    return { signer: word('signer'), host: word('host'), count: numberIn(row, 'count'), answers }
  })
}

const SELECT_ANSWER_GROUPS = `
  select coalesce(signed_by, signer) as signer, host, kinds, ok, count(*) as count
  from alvarium.bundle where datum = ${PAYLOAD_NUMBER} group by 1, 2, 3, 4 order by min(seq)`

const MAX_RELATED = 1_000

export function aboutStatements(): Statement[] {
  const related = [KEEP_RELATED, OWN_PARENTS, OWN_CHILDREN].map((query) => [query, [MAX_RELATED]] as const)
  return [[SELECT_ANSWER_GROUPS], ...related, [namesOf(NUMBERS)]]
}

export async function aboutDatum(
  session: Session,
  strings: StringTable,
  { id, name, found: [sayings = [], , from = [], into = [], named = []] }: KnownPayload,
): Promise<AboutPayload> {
  const names = noNames()
  addNames(names, named)
  return {
    ...name,
    ...sumAnswers(await readAnswerGroups(session, strings, sayings)),
    ...removalsOf(names, id),
    madeFrom: namesInOrder(from, names.payloads),
    madeFromSets: namesInOrder(from, names.sets),
    madeInto: namesInOrder(into, names.payloads),
  }
}

type KnownPayload = Pick<PayloadLookup, 'name' | 'found'> & { readonly id: number }

function removalsOf(
  { pruned, forgotten }: InputNames,
  id: number,
): Pick<AboutPayload, 'pruned' | 'forgottenAt'> {
  const forgottenAt = forgotten.get(id)
  return { pruned: pruned.get(id) ?? 0, ...(forgottenAt !== undefined && { forgottenAt }) }
}

function namesInOrder<T>(rows: readonly Row[], names: ReadonlyMap<number, T>): T[] {
  return rows.map((row) => names.get(numberIn(row, 'id'))).filter((name) => name !== undefined)
}

export async function aboutTrusted(
  session: Session,
  trusted: TrustedReader,
  id: number,
  name: PayloadName,
): Promise<AboutPayload> {
  const ownBundles = new AcceptedBundles(session, trusted)
  await ownBundles.read([id])
  const sayings = ownBundles.statements(id).map(({ annotations: answers, count = 1, ...rest }) => {
    return { ...rest, count, answers }
  })
  const parents = [...ownBundles.parents(id)].sort((a, b) => a - b)
  const from = await inputNames(session, parents.slice(0, MAX_RELATED))
  const children = (await session.query(SELECT_CHILDREN, [id, MAX_RELATED])).map((row) => numberIn(row, 'id'))
  const others = new AcceptedBundles(session, trusted)
  await others.read(children)
  const made = children.filter((child) => others.parents(child).has(id))
  const into = await inputNames(session, made)
  return {
    ...name,
    ...sumAnswers(sayings),
    ...removalsOf(await inputNames(session, [id]), id),
    madeFrom: [...from.payloads.values()],
    madeFromSets: [...from.sets.values()],
    madeInto: [...into.payloads.values()],
    trust: ownBundles.applied,
  }
}

export function nothingAbout(name: PayloadName): AboutPayload {
  return { ...name, ...sumAnswers([]), pruned: 0, madeFrom: [], madeFromSets: [], madeInto: [] }
}

function sumAnswers(
  sayings: readonly AnswerGroup[],
): Pick<AboutPayload, 'bundles' | 'answers' | 'signers' | 'hosts'> {
  const [signers, hosts] = [new Map<string, number>(), new Map<string, number>()]
  const answers = new Map<string, { yes: number; no: number }>()
  let bundles = 0
  for (const { signer, host, count, answers: given } of sayings) {
    bundles += count
    signers.set(signer, (signers.get(signer) ?? 0) + count)
    hosts.set(host, (hosts.get(host) ?? 0) + count)
    for (const { kind, isSatisfied } of given) {
      const counts = answers.get(kind) ?? { yes: 0, no: 0 }
      counts[isSatisfied ? 'yes' : 'no'] += count
      answers.set(kind, counts)
    }
  }
  return { bundles, answers, signers, hosts }
}

const parentsQuery = (number: string, limit: string) => `
  select parent as id from alvarium.edge where child = ${number} and signed order by parent limit ${limit}::integer`
const childrenQuery = (number: string, limit: string) => `
  select child as id from alvarium.edge where parent = ${number} and signed order by child limit ${limit}::integer`
const SELECT_CHILDREN = childrenQuery('$1::bigint', '$2')
const OWN_PARENTS = parentsQuery(PAYLOAD_NUMBER, '$1')
const OWN_CHILDREN = childrenQuery(PAYLOAD_NUMBER, '$1')
const KEEP_RELATED = `
  select ${keepNumbers("coalesce(array_agg(id), '{}')::text")} from (
    select ${PAYLOAD_NUMBER} as id union all (${OWN_PARENTS}) union all (${OWN_CHILDREN})
  ) as related`
