import { AlvariumError, assertBytes, isBytes, isVerdict } from '../base/errors.js'
import { groupsOf } from '../base/join.js'
import { assertNames } from '../base/names.js'
import type { Codec } from '../codecs/codec.js'
import type { Keyring } from '../keys/keyring.js'
import { turns } from '../keys/turns.js'
import type { IdentifiedBundle } from '../model/bundle.js'
import type { WorkerPool } from '../model/worker-pool.js'
import { LARGE_BYTES, verifyLarge } from './large.js'
import { bundlesOf, errorOf, orFailure, verifyMany } from './many.js'
import { verifyByOther } from './one.js'
import {
  unchecked,
  type VerifiedBundle,
  type VerifyOptions,
  WITHOUT_PAYLOAD,
  withTrusted,
} from './options.js'
import { type Readable, readableOf } from './readable.js'

/** What became of one of many messages. */
export type Verification = PromiseSettledResult<VerifiedBundle[]>

/**
 * Verifies many messages at once, in less time than one after the other takes: they cross into the core 64 together. Each
 * signature is judged on its own, batches by their roots. Timers and sockets get their turn between them: the messages must not
 * change until the promise settles.
 *
 * @returns for each message, in order: `fulfilled` with its bundles, or `rejected` with the `AlvariumError` that
 * {@link verifyMessage} would throw
 * @throws TypeError when a message is not a `Uint8Array`
 * @throws AlvariumError for what says nothing about any of the messages: `KEY_INVALID` for a key of the keyring that cannot be
 * read, `CONFIG_INVALID` for an option that does not exist, `QUEUE_FULL` and `STREAM_CLOSED` of the pool, `CORE_FAILED`,
 * `CORE_UNAVAILABLE`
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
  options: Omit<VerifyOptions, 'payload'>,
): Promise<Verification[]> {
  assertNames(options, WITHOUT_PAYLOAD)
  const { codec, pool } = options
  for (const [at, message] of messages.entries()) assertBytes(message, `messages[${at}]`)
  return withTrusted(options, (trusted) =>
    pool ? verifyPooled(messages, codec, trusted, pool) : verifyHere(messages, codec, trusted),
  )
}

async function verifyHere(
  messages: readonly Uint8Array[],
  codec: Codec | undefined,
  keyring: Keyring,
): Promise<Verification[]> {
  const verified: Verification[] = []
  for (const group of groupsOf(messages, TOGETHER)) {
    await turns.overForLong
    const texts = group.map((message) => readableOf(message, codec))
    const together = (await verifyTogether(texts.filter(isSmall), keyring)).values()
    for (const text of texts) {
      if (text instanceof AlvariumError) verified.push(rejected(text))
      else if (isSmall(text)) verified.push(verificationOf(together.next().value as Outcome))
      else verified.push(await settled(verifyLarge(keyring, text)))
    }
  }
  return verified
}

/** In one crossing; then those whose signers the core does not know, if somebody else does. */
async function verifyTogether(texts: readonly Uint8Array[], keyring: Keyring): Promise<Outcome[]> {
  if (texts.length === 0) return []
  const { others } = keyring
  const outcomes = [...bundlesOf(verifyMany({ use: (run) => keyring.use(run), others: undefined }, texts))]
  for (const [at, outcome] of outcomes.entries()) {
    if (!others || !(outcome instanceof AlvariumError) || outcome.code !== 'SIGNER_UNKNOWN') continue
    await turns.over
    const verified = orFailure(() => verifyByOther(keyring, others, texts[at] as Uint8Array))
    outcomes[at] = typeof verified === 'string' ? JSON.parse(verified) : errorOf(verified)
  }
  return outcomes
}

/** Some at a time: enough to keep any number of workers busy, few enough to fit the pool's queue. */
async function verifyPooled(
  messages: readonly Uint8Array[],
  codec: Codec | undefined,
  keyring: Keyring,
  pool: WorkerPool,
): Promise<Verification[]> {
  const texts: Readable[] = []
  for (const message of messages) {
    if (texts.length % TOGETHER.count === 0) await turns.over
    texts.push(readableOf(message, codec))
  }
  const { maxQueuedCalls, maxQueuedBytes } = pool.limits
  const most = { count: Math.min(MOST_POOLED, maxQueuedCalls), bytes: maxQueuedBytes }
  const verified: Verification[] = []
  for (const group of groupsOf(texts.filter(isBytes), most)) {
    const some: Promise<Verification>[] = []
    for (const text of group) {
      if (some.length % TOGETHER.count === 0) await turns.over
      some.push(settled(pool.verify(keyring, text)))
    }
    for (const one of await Promise.all(some)) verified.push(one)
  }
  const next = verified.values()
  return texts.map((text) => (isBytes(text) ? (next.next().value as Verification) : rejected(text)))
}

/** What became of a message. What is wrong with us says nothing about it. */
async function settled(bundles: Promise<IdentifiedBundle[]>): Promise<Verification> {
  try {
    return verificationOf(await bundles)
  } catch (error) {
    if (isVerdict(error)) return rejected(error)
    throw error
  }
}

type Outcome = IdentifiedBundle[] | AlvariumError

function verificationOf(outcome: Outcome): Verification {
  if (outcome instanceof AlvariumError) return rejected(outcome)
  return { status: 'fulfilled', value: outcome.map(unchecked) }
}

function rejected(reason: AlvariumError): PromiseRejectedResult {
  return { status: 'rejected', reason }
}

function isSmall(text: Readable): text is Uint8Array {
  return isBytes(text) && text.length <= LARGE_BYTES
}

const MOST_POOLED = 4096
/** How many messages cross together: more gain little, and others have to wait for them. */
const TOGETHER = { count: 64, bytes: LARGE_BYTES }
