import { GroupCollector } from '../../foundation/base/bytes/join.js'
import { assertBytes } from '../../foundation/base/errors.js'
import { callTurns } from '../../foundation/base/time/turns.js'
import { digestInputs } from '../../foundation/core/hashing.js'
import type { HashName } from '../../foundation/model/bundle.js'
import type { Call } from '../../foundation/model/call.js'
import type { Engine, HashInput } from '../../foundation/model/payload.js'
import type { TraceContext } from '../../foundation/model/trace-context.js'
import type { Slot } from './backpressure.js'
import type { BatchEntry, BatchedDelivery } from './batched.js'
import { Receipt, type Sent } from './receipt.js'

/** Number of payloads, or of their bytes, that ends a group. Between groups, the event loop can run. */
const GROUP = { count: 64, bytes: 2 * 1024 * 1024 }
/**
 * Maximum number of calls that wait for the stream. At this number, the loop waits for the earliest of these
 * calls.
 */
const MAX_WAITING_CALLS = 4096

interface ManyCalls {
  /** Returns the delivery that batches calls and signs with the current key. */
  batches(): BatchedDelivery
  readonly hash: HashName
  readonly engine: Engine
  readonly signal: AbortSignal | undefined
  readonly traceContext?: TraceContext | undefined
  /**
   * Returns a slot for a further batch, or a promise of a slot until the stream has capacity for the batch.
   */
  ready(): Slot | Promise<Slot>
  ask(payload: Uint8Array, input: HashInput): Call | Promise<Call>
}

/** Signs payloads in batches, one after the other, and waits until the stream has accepted all batches. */
export async function deliverMany(payloads: Iterable<Uint8Array>, calls: ManyCalls): Promise<Receipt[]> {
  const { batches, hash, engine, signal, traceContext, ask, ready } = calls
  const added: BatchEntry[] = []
  for (const group of groupsOf(payloads)) {
    const inputs = digestInputs(group, hash, engine)
    const groupCalls = group.map((payload, at) => ask(payload, inputs[at] as HashInput))
    for (const call of groupCalls) {
      const answered = 'then' in call ? await call : call
      // Stop after an abort, because nobody waits for the receipts, and the sealer may have been freed.
      signal?.throwIfAborted()
      const room = batches().isFilling ? undefined : ready()
      const slot = room && 'then' in room ? await room : room
      signal?.throwIfAborted()
      added.push(addTo(batches(), traceContext ? { ...answered, traceContext } : answered, slot))
    }
    await callTurns.yieldIfDue()
    // Check again, because the sealer may have been freed during the wait.
    signal?.throwIfAborted()
    const earlier = added.at(-MAX_WAITING_CALLS)
    // Do not wait for an open batch, because it waits for more calls of this loop until its delay ends.
    if (earlier && !batches().isOpen(earlier)) await earlier.sent
  }
  batches().flush()
  return receiptsOf(added)
}

/** @param slot - slot of the batch, if the call is the first of the batch */
function addTo(batches: BatchedDelivery, call: Call, slot: Slot | undefined): BatchEntry {
  const added = batches.add(call, slot)
  // Release the slot even if the stream never receives the message.
  const release = () => slot?.release()
  if (slot) added.sent.then(release, release)
  return added
}

async function receiptsOf(added: readonly BatchEntry[]): Promise<Receipt[]> {
  const messages = new Set(added.map(({ sent }) => sent))
  const accepted = new Map<Promise<Sent>, Sent>()
  // Reject as soon as one batch rejects.
  await Promise.all([...messages].map(async (message) => accepted.set(message, await message)))
  const receipts: Receipt[] = []
  for (const { sent, index } of added) {
    if (receipts.length % MAX_WAITING_CALLS === 0) await callTurns.yieldIfDue()
    receipts.push(new Receipt(accepted.get(sent) as Sent, index))
  }
  return receipts
}

function* groupsOf(payloads: Iterable<Uint8Array>): Generator<Uint8Array[]> {
  const grouping = new GroupCollector<Uint8Array>(GROUP)
  let at = 0
  for (const payload of payloads) {
    assertBytes(payload, `payloads[${at++}]`)
    const full = grouping.add(payload, payload.length)
    if (full) yield full
  }
  const rest = grouping.take()
  if (rest.length > 0) yield rest
}
