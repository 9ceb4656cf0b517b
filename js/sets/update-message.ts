import * as v from 'valibot'
import { contentOf, messageOf } from '../base/options/message.js'
import { bounded, strict } from '../base/options/schema.js'
import { neighbours } from './proof-message.js'
import { count, hash, path } from './reading.js'

/** What was added to a set, or removed from it, with a proof for each of the two sets. */
export interface Change {
  /** 64 lower-case hexadecimal digits. */
  readonly entry: string
  /** In the set that does not have it. */
  readonly absent: { readonly index: number; readonly entries: readonly string[]; readonly path: string }
  /** In the set that has it. */
  readonly member: { readonly index: number; readonly path: string }
}

/** Both in ascending order of their entries. */
export interface Update {
  /** Root of the set before. */
  readonly before: string
  /** Root of the set after. */
  readonly after: string
  readonly added: readonly Change[]
  readonly removed: readonly Change[]
}

const TYPE = 'alvarium.SetUpdate/1'
/** FORMAT.md, Limits: in bytes. */
export const LONGEST_UPDATE = 2_097_152
/** No change takes less than so many bytes. */
const MOST_CHANGES = LONGEST_UPDATE / 128

const change = strict({
  entry: hash,
  absent: strict({ index: count, entries: neighbours, path }),
  member: strict({ index: count, path }),
})
// Counted first: to find out what is wrong with each of 700,000 took 5 s and 1 GiB.
const changes = bounded(v.array(change, 'an array'), MOST_CHANGES, 'changes')
const KIND = {
  type: TYPE,
  content: strict({ before: hash, after: hash, added: changes, removed: changes }),
  longest: LONGEST_UPDATE,
  name: 'update',
}

/** @throws AlvariumError `MESSAGE_MALFORMED` */
export function readUpdate(message: Uint8Array): Update {
  return contentOf(message, KIND)
}

/** The bytes of its message. */
export function writeUpdate({ before, after, added, removed }: Update): Uint8Array {
  return messageOf(TYPE, { before, after, added, removed })
}
