import { AlvariumError, assertBytes, isBytes, isVerdict } from '../base/errors.js'
import { groupsOf } from '../base/join.js'
import { assertNames } from '../base/names.js'
import type { Keyring } from '../keys/keyring.js'
import type { WorkerPool } from '../model/worker-pool.js'
import { bundlesOf, verifyMany } from './many.js'
import {
  unchecked,
  type VerifiedBundle,
  type VerifyOptions,
  WITHOUT_PAYLOAD,
  withTrusted,
} from './options.js'
import { readableOf } from './readable.js'

/** What became of one of many messages. */
export type Verification = PromiseSettledResult<VerifiedBundle[]>

/**
 * Verifies many messages at once, in less time than one after the other takes: they cross into the core 64 together. Each
 * signature is judged on its own, batches by their roots.
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
  const { keyring, codec, pool } = options
  for (const [at, message] of messages.entries()) assertBytes(message, `messages[${at}]`)
  const texts = messages.map((message) => readableOf(message, codec))
  const readable = texts.filter(isBytes)
  const verified = await withTrusted(keyring, (trusted) =>
    pool ? verifyPooled(readable, trusted, pool) : verifyTogether(readable, trusted),
  )
  const next = verified.values()
  return texts.map((text) =>
    text instanceof AlvariumError ? rejected(text) : (next.next().value as Verification),
  )
}

function verifyTogether(texts: readonly Uint8Array[], keyring: Keyring): Verification[] {
  return groupsOf(texts, TOGETHER)
    .flatMap((group) => bundlesOf(verifyMany(keyring, group)))
    .map((outcome) =>
      outcome instanceof AlvariumError
        ? rejected(outcome)
        : { status: 'fulfilled', value: outcome.map(unchecked) },
    )
}

/** Some at a time: enough to keep any number of workers busy, few enough to fit the pool's queue. */
async function verifyPooled(
  texts: readonly Uint8Array[],
  keyring: Keyring,
  pool: WorkerPool,
): Promise<Verification[]> {
  const { maxQueuedCalls, maxQueuedBytes } = pool.limits
  const most = { count: Math.min(MOST_POOLED, maxQueuedCalls), bytes: maxQueuedBytes }
  const verified: Verification[] = []
  for (const group of groupsOf(texts, most)) {
    const some = group.map(async (text) => (await pool.verify(keyring, text)).map(unchecked))
    verified.push(...(await Promise.allSettled(some)).map(asVerdict))
  }
  return verified
}

/** What the pool had no room for, or could not do, says nothing about the message. */
function asVerdict(outcome: Verification): Verification {
  if (outcome.status === 'rejected' && !isVerdict(outcome.reason)) throw outcome.reason
  return outcome
}

function rejected(reason: AlvariumError): PromiseRejectedResult {
  return { status: 'rejected', reason }
}

const MOST_POOLED = 4096
/** How many messages cross together: more gain little. */
const TOGETHER = { count: 64, bytes: 4 * 1024 * 1024 }
