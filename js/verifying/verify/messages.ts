import { groupsOf, join } from '../../foundation/base/bytes/join.js'
import {
  AlvariumError,
  assertBytes,
  describe,
  describeUnlessBytes,
  isBytes,
  verdictIn,
} from '../../foundation/base/errors.js'
import { assertNames } from '../../foundation/base/options/names.js'
import { ignoreRejection } from '../../foundation/base/time/promises.js'
import { verifyTurns } from '../../foundation/base/time/turns.js'
import type { SourceOptions } from '../../foundation/model/payload.js'
import type { WorkerPool } from '../../foundation/model/worker-pool.js'
import type { Keyring } from '../../signing/keys/keyring.js'
import { copyLeases, leasesFor, leaseTrustOf } from '../../signing/keys/lease-options.js'
import { type JudgedKeyring, type LeaseBook, receivedMs } from '../../signing/keys/trust-policy.js'
import type { Codec } from '../../transport/codecs/codec.js'
import { identityOf, verifyLarge } from './large.js'
import { answersIn, fromOutside, type MessageOutcome, outcomeOf, verifyInCore } from './many.js'
import {
  compareWithRules,
  permit,
  type VerifiedBundle,
  type VerifyOptions,
  WITHOUT_PAYLOAD,
  withTrusted,
} from './options.js'
import { LARGE_BYTES } from './parts.js'
import { decodeToJson, tryDecode } from './readable.js'

/** Result for one of several messages: its bundles, or the error. */
export type Verification = PromiseSettledResult<VerifiedBundle[]>

/**
 * Verifies many messages faster than single calls do, because up to 64 go into the core at a time. Each
 * signature is verified separately. The messages must not change until the promise settles.
 *
 * @returns for each message, in order: `fulfilled` with its bundles, or `rejected` with the `AlvariumError`
 *   that {@link verifyMessage} would throw
 * @throws TypeError when `messages` or `leases` is no array of `Uint8Array`, or `receivedAt` is not a time
 * @throws AlvariumError for faults that are no verdict on a message: `KEY_INVALID` for an unreadable key of
 *   the keyring; `CONFIG_INVALID` for an unknown option, too many leases, or leases without a trust policy;
 *   `QUEUE_FULL` and `STREAM_CLOSED` of the pool; `CORE_FAILED`, `CORE_UNAVAILABLE`
 *
 * @example
 * ```ts
 * for (const one of await verifyMessages(messages, { keyring })) {
 *   if (one.status === 'fulfilled') record(one.value)
 *   else console.warn(one.reason.code)
 * }
 * ```
 */
export async function verifyMessages(
  messages: readonly Uint8Array[],
  options: Omit<VerifyOptions, 'payload' | keyof SourceOptions>,
): Promise<Verification[]> {
  if (!Array.isArray(messages)) {
    throw new TypeError(`messages: expected an array of messages, got ${describe(messages)}`)
  }
  assertNames(options, WITHOUT_PAYLOAD)
  const received = receivedMs(options.receivedAt)
  return verifyReceived(messages, options, () => received)
}

/** @internal Verifies messages, each with its time of receipt in milliseconds since 1970. */
export async function verifyReceived(
  messages: readonly Uint8Array[],
  options: ReceivedOptions,
  receivedAt: ReceivedAt,
): Promise<Verification[]> {
  // Build the text `messages[…]` only for an invalid message, because it takes time.
  const other = messages.findIndex((message) => describeUnlessBytes(message) !== undefined)
  if (other >= 0) assertBytes(messages[other], `messages[${other}]`)
  const leases = copyLeases(options)
  return withTrusted(options, (trusting) => {
    const given = leasesFor(leases, options.checkpoints, trusting)
    if (!given) return verifyWith(trusting, messages, options, receivedAt)
    return leaseTrustOf(trusting).verifyMany(
      given,
      messages.length,
      (judging, places) => {
        const subset = places.map((at) => messages[at] as Uint8Array)
        return verifyWith(judging, subset, options, (at) => receivedAt(places[at] as number))
      },
      options.checkpoints,
    )
  })
}

/** @internal Options for messages, with leases as bytes or as a book of leases received earlier. */
export interface ReceivedOptions extends Pick<VerifyOptions, 'keyring' | 'codec' | 'pool' | 'checkpoints'> {
  readonly leases?: readonly Uint8Array[] | LeaseBook | undefined
}

type ReceivedAt = (at: number) => number | undefined

async function verifyWith(
  judging: JudgedKeyring,
  messages: readonly Uint8Array[],
  { codec, pool }: Pick<VerifyOptions, 'codec' | 'pool'>,
  receivedAt: ReceivedAt,
): Promise<Verification[]> {
  const { keyring } = judging
  const outcomes = pool
    ? await verifyPooled(messages, codec, keyring, pool)
    : await verifyHere(messages, codec, keyring)
  const verified: Verification[] = []
  // Loop over indexes, because an iterator and closures for each message caused a sixth of all allocations.
  for (let at = 0; at < outcomes.length; at++) {
    const outcome = outcomes[at] as MessageOutcome
    const message = messages[at] as Uint8Array
    const isLong = Array.isArray(outcome) && outcome.length > MANY_BUNDLES
    if (at % VERIFY_BATCH.count === 0 || isLong) await verifyTurns.yieldIfDue()
    if (outcome instanceof AlvariumError) {
      verified.push({ status: 'rejected', reason: outcome })
      continue
    }
    const comparing = compareWithRules(outcome, judging, message.length)
    if (comparing) await comparing
    try {
      const signed = () => identityOf(outcome[0], () => decodeToJson(message, codec))
      verified.push({ status: 'fulfilled', value: permit(outcome, judging, receivedAt(at), signed) })
    } catch (error) {
      verified.push({ status: 'rejected', reason: verdictIn(error) })
    }
  }
  return verified
}

async function verifyHere(
  messages: readonly Uint8Array[],
  codec: Codec | undefined,
  keyring: Keyring,
): Promise<MessageOutcome[]> {
  const verified: MessageOutcome[] = []
  for (const group of groupsOf(messages, VERIFY_BATCH)) {
    await verifyTurns.yieldIfDueLong()
    const texts = group.map((message) => tryDecode(message, codec))
    const outcomes = await verifyTogether(texts.filter(isSmall), keyring)
    let next = 0
    for (const text of texts) {
      if (text instanceof AlvariumError) verified.push(text)
      else if (isSmall(text)) verified.push(outcomes[next++] as MessageOutcome)
      else verified.push(await verifyLarge(keyring, text).catch(verdictIn))
    }
  }
  return verified
}

/** Verifies messages in the core, and messages of unknown signers with keys outside of the core. */
async function verifyTogether(texts: readonly Uint8Array[], keyring: Keyring): Promise<MessageOutcome[]> {
  if (texts.length === 0) return []
  const answers = answersIn(verifyInCore(keyring, join(texts)))
  for (const _ of fromOutside(answers, keyring, texts)) await verifyTurns.yieldIfDue()
  return answers.map(outcomeOf)
}

/** Verifies messages in a pool, in groups that keep all workers busy and fit into the pool's queue. */
async function verifyPooled(
  messages: readonly Uint8Array[],
  codec: Codec | undefined,
  keyring: Keyring,
  pool: WorkerPool,
): Promise<MessageOutcome[]> {
  const texts: (Uint8Array | AlvariumError)[] = []
  for (const message of messages) {
    if (texts.length % VERIFY_BATCH.count === 0) await verifyTurns.yieldIfDue()
    texts.push(tryDecode(message, codec))
  }
  const { maxQueuedCalls, maxQueuedBytes } = pool.limits
  const groupLimits = { count: Math.min(MAX_POOLED_MESSAGES, maxQueuedCalls), bytes: maxQueuedBytes }
  const verified: MessageOutcome[] = []
  for (const group of groupsOf(texts.filter(isBytes), groupLimits)) {
    const promises: Promise<MessageOutcome>[] = []
    for (const text of group) {
      if (promises.length % VERIFY_BATCH.count === 0) await verifyTurns.yieldIfDue()
      const one = pool.verify(keyring, text).catch(verdictIn)
      // Prevent an unhandled rejection while the loop pauses. `Promise.all` below handles the rejection.
      ignoreRejection(one)
      promises.push(one)
    }
    for (const one of await Promise.all(promises)) verified.push(one)
  }
  const next = verified.values()
  return texts.map((text) => (isBytes(text) ? (next.next().value as MessageOutcome) : text))
}

/** Number of bundles in a message above which the code yields to the event loop once more. */
const MANY_BUNDLES = 1024

function isSmall(text: Uint8Array | AlvariumError): text is Uint8Array {
  return isBytes(text) && text.length <= LARGE_BYTES
}

const MAX_POOLED_MESSAGES = 4096
/** Limits for one call of the core. Larger groups gain little, and other tasks wait for them. */
const VERIFY_BATCH = { count: 64, bytes: LARGE_BYTES }
