import * as v from 'valibot'
import { contentOf, messageOf } from '../../foundation/base/options/message.js'
import { strict, withMaxItems } from '../../foundation/base/options/schema.js'
import { neighbours } from './proof-message.js'
import { count, hash, path } from './schemas.js'

/** Addition to a set or removal from it, with one proof about the earlier set and one about the later set. */
export interface Change {
  /** Entry that was added or removed: a payload key or its salted hash, 64 lower-case hexadecimal digits. */
  readonly entry: string
  /** Proof that the entry is absent from the earlier set (addition) or the later set (removal). */
  readonly absent: { readonly index: number; readonly entries: readonly string[]; readonly path: string }
  /** Proof that the entry is in the later set (addition) or the earlier set (removal). */
  readonly member: { readonly index: number; readonly path: string }
}

/** Both lists of changes ascend by entry. */
export interface Update {
  readonly before: string
  readonly after: string
  readonly added: readonly Change[]
  readonly removed: readonly Change[]
}

const TYPE = 'alvarium.SetUpdate/1'
/** Maximum length of an update in bytes (FORMAT.md, Limits). */
export const MAX_UPDATE_BYTES = 2_097_152
/** Maximum number of changes, because each takes at least 128 bytes. */
const MAX_CHANGES = MAX_UPDATE_BYTES / 128

const change = strict({
  entry: hash,
  absent: strict({ index: count, entries: neighbours, path }),
  member: strict({ index: count, path }),
})
// Count the changes before validating them: validating 700,000 invalid changes took 5 s and 1 GiB of memory.
const changes = withMaxItems(v.array(change, 'an array'), MAX_CHANGES, 'changes')
const KIND = {
  type: TYPE,
  content: strict({ before: hash, after: hash, added: changes, removed: changes }),
  maxBytes: MAX_UPDATE_BYTES,
  name: 'update',
}

/** @throws AlvariumError `MESSAGE_MALFORMED` */
export function readUpdate(message: Uint8Array): Update {
  return contentOf(message, KIND)
}

export function writeUpdate({ before, after, added, removed }: Update): Uint8Array {
  return messageOf(TYPE, { before, after, added, removed })
}
