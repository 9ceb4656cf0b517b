import { Grouping } from '../base/bytes/join.js'
import { assertBytes } from '../base/errors.js'
import { callTurns } from '../base/time/turns.js'
import { digestInputs } from '../core/hashing.js'
import type { HashName } from '../model/bundle.js'
import type { Call } from '../model/call.js'
import type { Engine, HashInput } from '../model/payload.js'
import type { TraceContext } from '../model/trace-context.js'
import type { Permit } from './admission.js'
import type { Added, BatchedDelivery } from './batched.js'
import { Receipt, type Sent } from './receipt.js'

/** Payloads, and about how many bytes, are hashed in one turn of the event loop. */
const GROUP = { count: 64, bytes: 2 * 1024 * 1024 }
/** Calls that wait for the stream at a time: enough to keep it busy, few enough to fit any queue. */
const MOST_WAITING = 4096

/** What many calls have in common. */
export interface ManyCalls {
  /** Returns the batches of the signing key that is in use now. */
  batches(): BatchedDelivery
  readonly hash: HashName
  readonly engine: Engine
  readonly signal: AbortSignal | undefined
  /** Goes with each message. */
  readonly traceContext?: TraceContext | undefined
  /** A permit for another batch, when the stream has room for it. */
  ready(): Permit | Promise<Permit>
  ask(payload: Uint8Array, input: HashInput): Call | Promise<Call>
}

/** Seals payload after payload into batches, and waits for all of them. */
export async function deliverMany(payloads: Iterable<Uint8Array>, calls: ManyCalls): Promise<Receipt[]> {
  const { batches, hash, engine, signal, traceContext, ask, ready } = calls
  const added: Added[] = []
  for (const group of groupsOf(payloads)) {
    const inputs = digestInputs(group, hash, engine)
    const asked = group.map((payload, at) => ask(payload, inputs[at] as HashInput))
    for (const call of asked) {
      const answered = 'then' in call ? await call : call
      // Nobody waits any more, and the sealer may be gone.
      signal?.throwIfAborted()
      const room = batches().isFilling ? undefined : ready()
      const permit = room && 'then' in room ? await room : room
      signal?.throwIfAborted()
      added.push(addTo(batches(), traceContext ? { ...answered, traceContext } : answered, permit))
    }
    await callTurns.take()
    // The sealer may be gone meanwhile.
    signal?.throwIfAborted()
    const earlier = added.at(-MOST_WAITING)
    // An open batch would wait for more of ours until its time is up.
    if (earlier && !batches().isOpen(earlier)) await earlier.sent
  }
  batches().flush()
  return receiptsOf(added)
}

/** @param permit - that of the batch, if the call is its first */
function addTo(batches: BatchedDelivery, call: Call, permit: Permit | undefined): Added {
  const added = batches.add(call, permit)
  // Also if the stream never gets its message.
  const over = () => permit?.over()
  if (permit) added.sent.then(over, over)
  return added
}

async function receiptsOf(added: readonly Added[]): Promise<Receipt[]> {
  const messages = new Set(added.map(({ sent }) => sent))
  const accepted = new Map<Promise<Sent>, Sent>()
  // Rejects as soon as one batch does.
  await Promise.all([...messages].map(async (sent) => accepted.set(sent, await sent)))
  const receipts: Receipt[] = []
  for (const { sent, index } of added) {
    if (receipts.length % MOST_WAITING === 0) await callTurns.take()
    receipts.push(new Receipt(accepted.get(sent) as Sent, index))
  }
  return receipts
}

function* groupsOf(payloads: Iterable<Uint8Array>): Generator<Uint8Array[]> {
  const grouping = new Grouping(GROUP)
  let at = 0
  for (const payload of payloads) {
    assertBytes(payload, `payloads[${at++}]`)
    const full = grouping.add(payload)
    if (full) yield full
  }
  const rest = grouping.take()
  if (rest.length > 0) yield rest
}
