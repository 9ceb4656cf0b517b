import { sha256 } from '@noble/hashes/sha2.js'
import { type generateKey, signBytes, toHex } from 'alvarium-sdk'
import { base64, concat, utf8 } from './bytes.js'
import { messageOf } from './checkpoints.js'

// Messages written from FORMAT.md by the owner of a private key without our SDK. They can state anything.

export type Holder = ReturnType<typeof generateKey>

export interface Crafted {
  readonly message: Uint8Array
  readonly leaf: Uint8Array
  /** Bundle id in upper case, as in a set. */
  readonly id: string
}

export const keyOfText = (text: string) => toHex(sha256(utf8(text))).toUpperCase()

interface CraftedBundle {
  readonly action?: string
  /** The text that is the payload. */
  readonly about?: string
  readonly previous?: string
  readonly host?: string
  readonly timestamp?: string
  /** Answers by kind. */
  readonly says?: Readonly<Record<string, boolean>>
}

export function craftedBundle(holder: Holder, given: CraftedBundle = {}): Crafted {
  const { action = 'create', about = 'a reading', previous, host = 'edge-7', says = { src: true } } = given
  const { timestamp = '2026-01-01T00:00:00Z' } = given
  const key = keyOfText(about)
  const previousKey = previous === undefined ? undefined : keyOfText(previous)
  const annotations = Object.entries(says).map(([kind, isSatisfied], at) => ({
    id: `01M7XNDGJA9YWRYZVYCDF1Y00${at}`,
    kind,
    tag: '',
    isSatisfied,
  }))
  const identity = concat(
    utf8('alvarium.AnnotationBundle/1\n'),
    ...[action, key].map(prefixed),
    previousKey === undefined ? Uint8Array.of(0) : concat(Uint8Array.of(1), prefixed(previousKey)),
    ...['sha256', host, 'app', timestamp, holder.keyId].map(prefixed),
    u32(annotations.length),
    ...annotations.map(({ id, kind, tag, isSatisfied }) =>
      concat(...[id, kind, tag].map(prefixed), Uint8Array.of(isSatisfied ? 1 : 0)),
    ),
  )
  const signature = toHex(signBytes(holder.signingKey, identity))
  const content = {
    signature,
    signer: holder.keyId,
    key,
    ...(previousKey && { previousKey }),
    hash: 'sha256',
    host,
    layer: 'app',
    timestamp,
    annotations,
  }
  const message = utf8(JSON.stringify({ action, messageType: 'alvarium.AnnotationBundle/1', content }))
  const leaf = leafOf(identity)
  return { message, leaf, id: toHex(leaf).toUpperCase() }
}

interface CraftedCheckpoint {
  readonly run: string
  readonly number: number
  /** All leaves of the log up to its size. */
  readonly leaves: readonly Uint8Array[]
  /** Size at which the list begins. */
  readonly fromSize?: number
  readonly fromAt?: string
  readonly at?: string
  readonly after?: { readonly run: string; readonly leaves: readonly Uint8Array[] }
  readonly pending?: string
  readonly refused?: string
  readonly end?: boolean
  /** Number of bundles of each leaf that is a batch, by the leaf in hexadecimal. */
  readonly counts?: ReadonlyMap<string, number>
  /** True to write the peaks. Without them, a list has eight bytes of each leaf. */
  readonly peaks?: boolean
}

export function craftedCheckpoint(holder: Holder, given: CraftedCheckpoint): Uint8Array {
  const { run, number, leaves, fromSize = 0, after, pending, refused, end, peaks = true } = given
  const { fromAt = '2026-01-01T00:00:00.000000Z', at = '2026-01-01T01:00:00.000000Z' } = given
  const name = `checkpoint.alvarium/1/${holder.keyId}/${run}`
  const before = leaves.slice(0, fromSize)
  const listed = leaves.slice(fromSize)
  const sized = (some: readonly Uint8Array[]) => `${some.length} ${base64(rootOf(some))}`
  const lines = [
    ...[name, ...sized(leaves).split(' '), `number ${number}`, `from ${sized(before)} ${fromAt}`],
    ...(peaks ? [before.length > 0 ? `peaks ${base64(concat(...peaksOf(before)))}` : 'peaks'] : []),
    ...(after ? [`after ${after.run} ${sized(after.leaves)}`] : []),
    `at ${at}`,
    ...listed.map((leaf) => {
      const [count, id] = [given.counts?.get(toHex(leaf)), base64(peaks ? leaf : leaf.subarray(0, 8))]
      return count === undefined ? `bundles ${id}` : `batch ${count} ${id}`
    }),
    ...(pending === undefined ? [] : [`pending ${pending}`]),
    ...(refused === undefined ? [] : [`refused ${refused}`]),
    ...(end ? ['end'] : []),
  ]
  const text = `${lines.join('\n')}\n`
  const keyId = sha256(concat(utf8(`${name}\n`), Uint8Array.of(1), holder.verifyingKey)).subarray(0, 4)
  const sealed = base64(concat(keyId, signBytes(holder.signingKey, utf8(text))))
  return messageOf(`${text}\n\u2014 ${name} ${sealed}\n`)
}

export const runOf = (digit: string) => digit.repeat(32)

/** Returns the root over some leaves: RFC 9162 §2.1.1. */
export function rootOf(leaves: readonly Uint8Array[]): Uint8Array {
  const [only] = leaves
  if (only === undefined) return sha256(new Uint8Array(0))
  if (leaves.length === 1) return only
  const half = 2 ** Math.floor(Math.log2(leaves.length - 1))
  return sha256(concat(Uint8Array.of(1), rootOf(leaves.slice(0, half)), rootOf(leaves.slice(half))))
}

/** Returns the roots of the complete subtrees, the largest first. */
function peaksOf(leaves: readonly Uint8Array[]): Uint8Array[] {
  if (leaves.length === 0) return []
  const largest = 2 ** Math.floor(Math.log2(leaves.length))
  return [rootOf(leaves.slice(0, largest)), ...peaksOf(leaves.slice(largest))]
}

const leafOf = (identity: Uint8Array) => sha256(concat(Uint8Array.of(0), identity))
const u32 = (number: number) => Uint8Array.of(number >>> 24, number >>> 16, number >>> 8, number)
const prefixed = (text: string) => concat(u32(utf8(text).length), utf8(text))
