import {
  type ReceivedBundle,
  type ReceivedClassic,
  type StreamProvider,
  type Subscription,
  subscribe,
  tee,
} from 'alvarium-sdk'
import { file } from 'alvarium-sdk/file'
import type { Groups, Ingested, Message, Store } from 'alvarium-sdk/store'
import { AlvariumError } from '../../foundation/base/errors.js'
import { isCheckpoint, isLease } from '../../verifying/consume/control-messages.js'
import { unverifiedRow } from '../audit/refusals.js'
import { onlyWith } from '../fault.js'
import {
  type LeasedOptions,
  leasesOf,
  type StoredOptions,
  type TrustedBy,
  trustWithOptionalTime,
} from '../keys/trusted.js'
import { readableTwice } from '../messages/control-reader.js'
import { isReadable } from '../messages/found.js'
import { type MessageOptions, messagesFor } from '../messages/messages.js'
import { messagesOf } from '../messages/read.js'
import { ReadProgress } from '../messages/read-progress.js'
import { openAndReport, subscriptionTo } from '../messages/topic.js'
import { EXIT, type ExitCode, type Run, type Session, worse } from '../session.js'
import { showProgress } from '../terminal/progress.js'
import { safeText } from '../terminal/safe-text.js'
import { count } from '../terminal/words.js'
import { type DatabaseOptions, isServer, storeAt } from './database.js'
import { codeOf, ingestedRow } from './report.js'

interface IngestOptions extends DatabaseOptions, MessageOptions, StoredOptions, LeasedOptions {
  readonly deadLetters?: string
}

export const run: Run<IngestOptions> = async (sources, options, session) => {
  const { url, topic, leases, deadLetters } = options
  if (leases !== undefined && url === undefined) {
    throw onlyWith('--leases', '--url: messages of files are stored without leases')
  }
  if (deadLetters !== undefined && url === undefined) {
    throw onlyWith('--dead-letters', '--url: files keep their messages')
  }
  const { keyring, receivedAt } = await trustWithOptionalTime(options, session.err)
  const create = isServer(options.database)
  await using store = await storeAt(options, session, { keyring, classic: true, create })
  if (url !== undefined && topic !== undefined) {
    const trust = { keyring, leases: await leasesOf(options, session.input) }
    return report(await ingestTopic(store, { url, topic }, trust, options, session), options, session)
  }
  const files = new FileIngestion(sources, options, receivedAt, session)
  return worse(await report(await files.into(store), options, session), files.code)
}

async function report(done: Ingested, { json }: IngestOptions, { out }: Session): Promise<ExitCode> {
  await out.show(json, done, () => [ingestedRow(done)])
  return codeOf(done)
}

class FileIngestion {
  /** Exit code: `EXIT.yes`, or the worst one of the messages that could not be read. */
  code: ExitCode = EXIT.yes
  readonly #sources: readonly string[]
  readonly #options: IngestOptions
  readonly #receivedAt: number | undefined
  readonly #session: Session
  readonly #places = new WeakMap<Uint8Array, string>()

  constructor(
    sources: readonly string[],
    options: IngestOptions,
    receivedAt: number | undefined,
    session: Session,
  ) {
    this.#sources = sources
    this.#options = options
    this.#receivedAt = receivedAt
    this.#session = session
  }

  async into(store: Store): Promise<Ingested> {
    this.#session.begin()
    const progress = await ReadProgress.begin(this.#sources, this.#session)
    try {
      const known = await this.#learn(store)
      const done = await store.ingest(this.#all(progress), {
        onRejected: (message, error) => this.#tell(this.#places.get(message) ?? 'message', error),
      })
      return { ...done, controlMessages: done.controlMessages + known, copies: done.copies - known }
    } finally {
      progress.end()
    }
  }

  /**
   * Stores the leases of all files that can be read twice and, if there are any, the checkpoints. Does
   * nothing without a trust policy, or if messages come from a topic. The files' other messages are ingested
   * afterwards, because leases and checkpoints may prove some of them valid.
   *
   * @returns the number of new leases and checkpoints
   */
  async #learn(store: Store): Promise<number> {
    if (this.#options.trust === undefined || this.#options.url !== undefined) return 0
    const files = await readableTwice(this.#sources)
    const leases = await store.ingest(this.#filesOfKind(files, isLease))
    if (leases.controlMessages + leases.copies === 0) return 0
    return (
      leases.controlMessages + (await store.ingest(this.#filesOfKind(files, isCheckpoint))).controlMessages
    )
  }

  async *#filesOfKind(
    files: readonly string[],
    isOne: (message: Uint8Array) => boolean,
  ): AsyncGenerator<Message, void> {
    for await (const found of messagesOf(files, this.#session.input)) {
      for (const one of found) {
        if (this.#session.interrupted.aborted) return
        if (isReadable(one) && isOne(one.message))
          yield { message: one.message, receivedAt: this.#receivedAt }
      }
    }
  }

  async *#all(progress: ReadProgress): AsyncGenerator<Message, void> {
    const messages = messagesFor(this.#sources, this.#options, this.#session, progress.addBytes)
    for await (const found of progress.count(messages)) {
      for (const { place, message } of found) {
        // Stop here: a message that was read after an interruption may be cut off.
        if (this.#session.interrupted.aborted) return
        if (message instanceof AlvariumError) {
          await this.#tell(place, message)
          this.code = worse(this.code, message.code === 'MESSAGE_MALFORMED' ? EXIT.no : EXIT.unknown)
          continue
        }
        this.#places.set(message, place)
        yield { message, receivedAt: this.#receivedAt }
      }
    }
  }

  #tell(place: string, error: AlvariumError): Promise<void> {
    return this.#session.err.line(unverifiedRow(place, error))
  }
}

/** Stores the messages of a topic. The broker redelivers them until the store has committed them. */
async function ingestTopic(
  store: Store,
  where: { readonly url: string; readonly topic: string },
  { keyring, leases }: TrustedBy,
  options: IngestOptions,
  session: Session,
): Promise<Ingested> {
  session.begin()
  // Store the leases, too: an audit needs them to verify the messages again.
  if (leases) await store.ingest(leases)
  const messages = subscribe({
    ...(await subscriptionTo(where.url, where.topic, options)),
    keyring,
    classic: true,
    signal: session.interrupted,
    prefetch: 1_000,
    deadLetter: lettersOf(store, options),
    leases: leases && { known: leases },
  })
  tellRejected(messages, session)
  let bundles = 0
  const groups = limitedTo(options.count, messages, (size) => {
    bundles += size
  })
  const line = () => safeText`${count(bundles)} bundles`
  try {
    await openAndReport(messages, where, session)
    const done = await showProgress(session, line, () => store.ingest(groups))
    return { ...done, skipped: messages.skipped }
  } finally {
    await messages.close()
  }
}

/** Returns the stream for dead letters: the store, which counts them, and `--dead-letters`. */
function lettersOf(store: Store, { deadLetters: path }: IngestOptions): StreamProvider {
  return path === undefined ? store.deadLetters() : tee(file({ path }), store.deadLetters())
}

/** Reports rejected messages, except those of unknown signers, which the store quarantines and counts. */
function tellRejected(messages: Subscription<ReceivedBundle | ReceivedClassic>, { err }: Session): void {
  messages.addEventListener('rejected', ({ topic, error }) => {
    if (error.code !== 'SIGNER_UNKNOWN') void err.line(unverifiedRow(topic, error))
  })
}

/**
 * Limits the groups to a number of messages. The store commits each group before it asks for the next one.
 *
 * @param stored - called with the number of bundles in each group after the store has committed it
 */
function limitedTo(
  maxCount = Number.POSITIVE_INFINITY,
  source: Groups,
  stored: (bundles: number) => void,
): Groups {
  return {
    async *groups(options) {
      let messages = 0
      for await (const group of source.groups({ ...options, max: Math.min(options.max, maxCount) })) {
        yield group
        stored(group.bundles.length)
        messages += group.bundles.filter(({ index }) => index === 0).length
        if (messages >= maxCount) return
      }
    },
  }
}
