import { describe, expected } from '../../foundation/base/errors.js'
import { assertNames } from '../../foundation/base/options/names.js'
import { verifyTurns } from '../../foundation/base/time/turns.js'
import type { PayloadName } from '../../verifying/score/payload-name.js'
import type { Session } from '../database/database.js'
import { datumIds } from '../questions/stored-bundle.js'
import { numberIn } from '../rows/columns.js'
import { partsOf } from '../rows/groups.js'
import { AS_SET, datumName, namedPayload, otherNames } from '../rows/payload-name.js'

/** Selects the payloads to forget, by exactly one of three properties. */
export interface ForgetSelection {
  /** The payloads, or their names. */
  readonly payloads?: Iterable<Uint8Array | PayloadName> | undefined
  /** Selects payloads with a bundle that has an annotation with this tag. */
  readonly tag?: string | undefined
  /**
   * Selects the direct inputs of this payload, which signed bundles name or messages of other SDKs imply. Payloads
   * in sealed sets are not included, because the store does not know them.
   */
  readonly inputsOf?: Uint8Array | PayloadName | undefined
}

export type FindPayloads = (session: Session) => Promise<number[]>

/** Names per query. With more, the work would block the event loop for too long. */
const PAGE_SIZE = 1_024

export function readSelection(given: Uint8Array | PayloadName | ForgetSelection): FindPayloads {
  if (given instanceof Uint8Array || 'key' in Object(given)) return byNames([given as PayloadName])
  const selection = Object(given) as ForgetSelection
  assertNames(selection, ['payloads', 'tag', 'inputsOf'], 'forget.')
  const { payloads, tag, inputsOf } = selection
  if ([payloads, tag, inputsOf].filter((one) => one !== undefined).length !== 1) {
    throw expected(
      'CONFIG_INVALID',
      'forget',
      'a payload, or one of payloads, tag and inputsOf',
      describe(given),
    )
  }
  if (payloads !== undefined) return byNames(payloads)
  if (tag === undefined) return inputsFinder(inputsOf as Uint8Array | PayloadName)
  if (typeof tag === 'string') return byTag(tag)
  throw expected('CONFIG_INVALID', 'forget.tag', 'a text', describe(tag))
}

function byNames(payloads: Iterable<Uint8Array | PayloadName>): FindPayloads {
  const names = Array.from(payloads, (one) => ({ name: namedPayload(one), others: otherNames(one) }))
  return async (session) => {
    const found = new Set<number>()
    for (const part of partsOf(names, PAGE_SIZE)) {
      await verifyTurns.yieldIfDueLong()
      const ids = await datumIds(
        session,
        part.map(({ name }) => name),
      )
      for (const [at, { others }] of part.entries()) {
        const id = ids.get(at)
        if (id !== undefined) found.add(id)
        else await assertUnknown(session, others)
      }
    }
    return [...found]
  }
}

export async function assertUnknown(session: Session, names: readonly PayloadName[]): Promise<void> {
  if (names.length === 0) return
  const [known] = [...(await datumIds(session, names)).keys()].map((at) => names[at])
  if (!known) return
  const requirement = `{ key, hash } of a payload that this store knows by hash ${known.hash}`
  throw expected('CONFIG_INVALID', 'payload', requirement, 'bytes, which are looked for by their SHA-256')
}

function byTag(tag: string): FindPayloads {
  return async (session) => idsIn(await session.query(OF_TAG, [new TextEncoder().encode(tag)]))
}

function inputsFinder(payload: Uint8Array | PayloadName): FindPayloads {
  const [name, others] = [namedPayload(payload), otherNames(payload)]
  const { hash, digest } = datumName(name)
  return async (session) => {
    const ids = idsIn(await session.query(INPUTS, [hash, digest]))
    if (ids.length === 0 && (await datumIds(session, [name])).size === 0) await assertUnknown(session, others)
    return ids
  }
}

function idsIn(rows: Awaited<ReturnType<Session['query']>>): number[] {
  return rows.map((row) => numberIn(row, 'id'))
}

/** Selects payloads by tag. It finds the stored lists of tags that contain the tag, and then their bundles by index. */
const OF_TAG = `
  select distinct datum as id
  from (
    select list.id from alvarium.list where words @> array[(select id from alvarium.word where word = $1::bytea)]
  ) as list cross join lateral (select datum from alvarium.bundle where tags = list.id offset 0) as bundle
  order by 1`

const INPUTS = `
  select distinct parent as id
  from alvarium.datum join alvarium.edge on edge.child = datum.id join alvarium.datum as input on input.id = parent
  where datum.hash = $1::smallint and datum.digest = decode($2::text, 'hex') and input.hash <> ${AS_SET} order by 1`
