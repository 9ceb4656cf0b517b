import { GroupCollector, join } from '../../foundation/base/bytes/join.js'
import { assertBytes, describe, expected, isBytes, needs } from '../../foundation/base/errors.js'
import { hasTextAt } from '../../foundation/base/text/text.js'
import { callTurns } from '../../foundation/base/time/turns.js'
import { hold, MaxBytes, MaxCount, type Tree, withCore } from '../../foundation/core/core.js'
import { digestInputs, keyOfDigest } from '../../foundation/core/hashing.js'
import { isPayloadKey, leavesOfInputs } from '../../foundation/core/input-leaves.js'
import { HASHES, type Input, type InputPayload, type InputSet } from '../../foundation/model/bundle.js'
import type { Call, CallInputs } from '../../foundation/model/call.js'
import type { Digestion } from '../../foundation/model/payload.js'

/**
 * Input from which a payload was made: another payload, as bytes or by its hash and payload key; or a sealed
 * set, by its id.
 */
export type MutateInput = Uint8Array | InputPayload | InputSet

/** Returns whether an argument of `mutate` is a list of inputs: an iterable other than an `ArrayBuffer` view. */
export function areInputs(value: unknown): value is Iterable<MutateInput> {
  return typeof value === 'object' && value !== null && !ArrayBuffer.isView(value) && Symbol.iterator in value
}

/** Number of inputs, or of their bytes, that ends a group. Between groups, the event loop can run. */
const GROUP = { count: 256, bytes: 2 * 1024 * 1024 }
/** Maximum number of bytes of a list of inputs. The rest of a message has at most `MaxBytes.Message`. */
const MAX_LIST_BYTES = MaxBytes.BatchMessage - MaxBytes.Message

type InputHashing = Pick<Digestion, 'hash' | 'engine' | 'signal'>

/**
 * Returns the fields of a call that state its inputs. Yields to the event loop between groups of inputs.
 *
 * @throws TypeError for an input that is neither bytes, nor a payload key, nor a set
 * @throws AlvariumError `PAYLOAD_INVALID` for no inputs, for more than 65,536 inputs, for more bytes of
 *   payload keys and set ids than fit into a message, and for an invalid payload key or set id
 */
export async function gatherInputs(
  given: Iterable<MutateInput>,
  gathering: InputHashing,
): Promise<Pick<Call, 'previous' | 'inputs'>> {
  const tree = hold((core) => new core.Tree())
  try {
    const list: Uint8Array[] = []
    let [size, bytes] = [0, 0]
    for (const group of groupsOf(given)) {
      gathering.signal?.throwIfAborted()
      const inputs = inputsOfGroup(group, gathering)
      withCore(() => tree.object.grow(leavesOfInputs(inputs)))
      const items = JSON.stringify(inputs).slice(1, -1)
      const piece = new TextEncoder().encode(size === 0 ? items : `,${items}`)
      list.push(piece)
      size += inputs.length
      bytes += piece.length
      assertFits(size, bytes)
      await callTurns.yieldIfDueLong()
    }
    if (size === 0) throw needs('inputs', 'at least one payload', 'PAYLOAD_INVALID')
    return { previous: { bytes: signedOf(tree.object, size), isDigest: true }, inputs: { list, bytes } }
  } finally {
    tree.release()
  }
}

/** Returns the number of inputs and the root of their Merkle tree, in the layout of crate/src/crossing.rs. */
function signedOf(tree: Tree, size: number): Uint8Array {
  const root = withCore(() => {
    tree.end()
    return tree.root()
  })
  const count = new Uint8Array(4)
  new DataView(count.buffer).setUint32(0, size, true)
  return join([count, root]).bytes
}

function assertFits(size: number, bytes: number): void {
  if (size > MaxCount.Bundles) {
    throw expected(
      'PAYLOAD_INVALID',
      'inputs',
      `at most ${MaxCount.Bundles} payloads`,
      'more: make a set of them with sealSet()',
    )
  }
  if (bytes > MAX_LIST_BYTES) {
    throw expected('PAYLOAD_INVALID', 'inputs', `at most ${MAX_LIST_BYTES} bytes in the message`, 'more')
  }
}

function* groupsOf(given: Iterable<MutateInput>): Generator<MutateInput[]> {
  const grouping = new GroupCollector<MutateInput>(GROUP)
  let at = 0
  for (const item of given) {
    const where = `inputs[${at++}]`
    if (isName(item)) assertName(item, where)
    else assertBytes(item, where)
    const full = grouping.add(item, isBytes(item) ? item.length : NAME_BYTES)
    if (full) yield full
  }
  const rest = grouping.take()
  if (rest.length > 0) yield rest
}

/** Bytes that {@link GROUP} counts for a payload key or a set id. */
const NAME_BYTES = 64

function isName(item: MutateInput): item is InputPayload | InputSet {
  return typeof item === 'object' && item !== null && !isBytes(item) && ('key' in item || 'set' in item)
}

function assertName(name: InputPayload | InputSet, where: string): void {
  if ('set' in name) {
    if (typeof name.set === 'string' && /^[0-9a-f]{64}$/.test(name.set)) return
    throw expected('PAYLOAD_INVALID', `${where}.set`, 'the id of a set', describe(name.set))
  }
  const { hash, key } = name
  if (!HASHES.includes(hash)) {
    throw expected('PAYLOAD_INVALID', `${where}.hash`, HASHES.join(', '), describe(hash))
  }
  if (typeof key === 'string' && isPayloadKey({ hash, key })) return
  throw expected('PAYLOAD_INVALID', `${where}.key`, `a ${hash} key`, describe(key))
}

/**
 * Returns the inputs of a group, with payloads replaced by their payload keys. The fields of each input
 * are in the order that they have in a message.
 */
function inputsOfGroup(group: readonly MutateInput[], { hash, engine = 'auto' }: InputHashing): Input[] {
  const digests = digestInputs(group.filter(isBytes), hash, engine).values()
  return group.map((item) => {
    if (isBytes(item)) return { hash, key: keyOfDigest(digests.next().value?.bytes as Uint8Array, hash) }
    return 'set' in item ? { set: item.set } : { hash: item.hash, key: item.key }
  })
}

const [OPEN, CLOSE] = [Uint8Array.of(0x5b), Uint8Array.of(0x5d)]
const [OPEN_OBJECT, CLOSE_OBJECT] = [0x7b, 0x7d]
/** Start of the field `inputs` in JSON. No string contains it, because quotation marks are escaped. */
const BEFORE = '"inputs":'

/**
 * Adds the lists of inputs, in the order of the bundles, to a message that the core has signed without them.
 * The signature covers the root of each list.
 */
export function withInputs(json: Uint8Array, inputs: readonly CallInputs[]): Uint8Array {
  const pieces: Uint8Array[] = []
  let from = 0
  for (const { list } of inputs) {
    const at = placeOfInputs(json, from)
    pieces.push(json.subarray(from, at), OPEN, ...list, CLOSE)
    from = json.indexOf(CLOSE_OBJECT, at) + 1
  }
  return join([...pieces, json.subarray(from)]).bytes
}

/** Returns the offset of the next placeholder object for inputs. */
function placeOfInputs(json: Uint8Array, from: number): number {
  for (let at = json.indexOf(OPEN_OBJECT, from); at >= 0; at = json.indexOf(OPEN_OBJECT, at + 1)) {
    if (hasTextAt(BEFORE, json, at - BEFORE.length)) return at
  }
  return json.length
}
