import { type AlvariumError, describe, expected } from '../../foundation/base/errors.js'
import { CONTROL, type Group, type GroupOptions } from '../../verifying/consume/group.js'
import type { ReceivedBundle, ReceivedClassic } from '../../verifying/consume/received.js'
import { type Database, RefusedRow, type Session } from '../database/database.js'
import { partsOf } from '../rows/groups.js'
import type { StringTable } from '../rows/string-table.js'
import { addEntries, lockHead } from './add-entries.js'
import { addControlMessages, CONTROL_HANDLER, type ControlMessage } from './control-messages.js'
import { entriesIn, type VerifiedEntry } from './entry.js'
import { GROUP_LIMITS } from './group-messages.js'
import type { ReceivedMessage } from './message-ids.js'
import type { Quarantine } from './quarantine.js'
import { type Refusal, type VerifySettings, verifyAll } from './verify-all.js'

/** Counts of messages and bundles in one call of `ingest`. */
export interface Ingested {
  /** Number of new, committed bundles. Annotations of other SDKs count one by one. */
  bundles: number
  /** Number of bundles, leases and checkpoints that the store already had. */
  copies: number
  /** Number of new leases and checkpoints. They are stored and exported. */
  controlMessages: number
  /** Number of messages that this call has quarantined, including messages that already were in quarantine. */
  quarantined: number
  /** Number of other messages that do not verify, by error code. They are not stored. */
  rejected: Record<string, number>
  /**
   * Number of skipped messages: sets, dead letters, announcements of Go's SDK, and leases if there is no trust
   * policy.
   */
  skipped: number
}

/** Callback that receives each message that is rejected, and the reason. */
export type Rejected = (message: Uint8Array, error: AlvariumError) => unknown

/** Methods that a store calls on a subscription. */
export interface Groups {
  /**
   * Returns groups of at most `max` bundles. After its first bundle, a group waits at most `maxMs`
   * milliseconds for more. An object that wraps a subscription must pass on options and groups unchanged,
   * because groups also carry leases and checkpoints.
   */
  groups(
    options: GroupOptions & { max: number; maxMs: number },
  ): AsyncIterable<Group<ReceivedBundle | ReceivedClassic>>
}

export function isSubscription(source: unknown): source is Groups {
  return typeof Object(source)['groups'] === 'function'
}

/** Refuses texts and bytes, because these are iterable, too. */
export function assertMessages(source: unknown): void {
  const isIterable = Symbol.iterator in Object(source) || Symbol.asyncIterator in Object(source)
  if (isIterable && typeof source === 'object' && !ArrayBuffer.isView(source)) return
  throw expected('CONFIG_INVALID', 'source', 'a subscription, or messages in an iterable', describe(source))
}

export function noCounts(): Ingested {
  return { bundles: 0, copies: 0, controlMessages: 0, quarantined: 0, rejected: {}, skipped: 0 }
}

export class Ingester {
  readonly #database: Database
  readonly #strings: StringTable
  readonly #quarantine: Quarantine
  readonly #added: (count: number) => Promise<void>

  /** @param added - callback that receives the number of new entries after each commit */
  constructor(
    database: Database,
    strings: StringTable,
    quarantine: Quarantine,
    added: (count: number) => Promise<void>,
  ) {
    this.#added = added
    this.#database = database
    this.#strings = strings
    this.#quarantine = quarantine
  }

  /**
   * Stores the groups of a subscription, and acknowledges each stored group. Leases and checkpoints are
   * stored first. If the process ends in between, the broker redelivers the group.
   */
  async ingestSubscription(source: Groups): Promise<Ingested> {
    const done = noCounts()
    for await (const group of source.groups({
      max: GROUP_LIMITS.count,
      maxMs: GROUP_LIMITS.ms,
      [CONTROL]: CONTROL_HANDLER,
    })) {
      await this.#addControlMessages((group[CONTROL] ?? []) as readonly ControlMessage[], done)
      done.quarantined += countDistinct(await this.#store(entriesIn(group.bundles), done))
      await group.ack()
    }
    return done
  }

  /** Verifies and stores messages. Leases and checkpoints come first, because bundles can depend on them. */
  async ingestMessages(
    messages: readonly ReceivedMessage[],
    settings: VerifySettings,
    done: Ingested,
    rejected?: Rejected,
  ): Promise<void> {
    const { found, controlMessages, refused, skipped } = await verifyAll(messages, settings)
    done.skipped += skipped
    await this.#addControlMessages(controlMessages, done)
    const quarantinedMessages = await this.#storeAll(found, done)
    const strangers = await this.#refuse(refused, done, rejected)
    done.quarantined += countDistinct([...quarantinedMessages, ...strangers])
  }

  async #storeAll(found: readonly VerifiedEntry[], done: Ingested): Promise<Uint8Array[]> {
    const quarantinedMessages: Uint8Array[] = []
    for (const part of partsOf(found, GROUP_LIMITS.count)) {
      quarantinedMessages.push(...(await this.#store(part, done)))
    }
    return quarantinedMessages
  }

  /**
   * Stores rows in one transaction. If the database refuses a row, takes several transactions, and
   * quarantines the message with that row.
   *
   * @returns the quarantined messages
   */
  async #store(found: readonly VerifiedEntry[], done: Ingested): Promise<readonly Uint8Array[]> {
    if (found.length === 0) return []
    try {
      const { added, committed } = await this.#database.write((session) => {
        // Clear large caches only now, because an earlier transaction of the connection may need the cached words.
        this.#strings.forgetSome()
        return addEntries(session, this.#strings, found)
      })
      committed()
      done.bundles += added
      done.copies += found.length - added
      await this.#added(added)
      return []
    } catch (error) {
      if (!(error instanceof RefusedRow)) throw error
      return this.#divide(found, error, done)
    }
  }

  async #divide(
    found: readonly VerifiedEntry[],
    error: RefusedRow,
    done: Ingested,
  ): Promise<readonly Uint8Array[]> {
    const half = found.length >> 1
    if (half > 0) {
      const first = await this.#store(found.slice(0, half), done)
      return [...first, ...(await this.#store(found.slice(half), done))]
    }
    return this.#quarantineAll(found.map(({ evidence }) => ({ ...evidence, error })))
  }

  async #refuse(
    refused: readonly Refusal[],
    done: Ingested,
    rejected: Rejected | undefined,
  ): Promise<readonly Uint8Array[]> {
    for (const { message, error } of refused.filter((one) => !isUnknownSigner(one))) {
      countRejected(error, done)
      await rejected?.(message, error)
    }
    const strangers = refused.filter(isUnknownSigner)
    return strangers.length > 0 ? this.#quarantineAll(strangers) : []
  }

  async #addControlMessages(messages: readonly ControlMessage[], done: Ingested): Promise<void> {
    if (messages.length === 0) return
    const added = await this.#writeAlone((session) => addControlMessages(session, messages))
    done.controlMessages += added
    done.copies += messages.length - added
  }

  async #quarantineAll(refused: readonly Refusal[]): Promise<Uint8Array[]> {
    await this.#writeAlone((session) => this.#quarantine.keep(session, refused))
    return refused.map(({ message }) => message)
  }

  #writeAlone<T>(run: (session: Session) => Promise<T>): Promise<T> {
    return this.#database.write(async (session) => {
      await lockHead(session)
      return run(session)
    })
  }

  async retryQuarantine(settings: VerifySettings): Promise<Ingested> {
    const done = noCounts()
    let [known, quarantinedCount]: [number | undefined, number] = [0, 0]
    do {
      known = settings.leases?.size
      quarantinedCount = await this.#retryAll(settings, done)
    } while (known !== settings.leases?.size)
    const droppedCount = await this.#writeAlone((session) => this.#quarantine.dropOld(session))
    // Return at least 0: the difference can be negative, because other processes can change the quarantine
    // meanwhile.
    return { ...done, quarantined: Math.max(0, quarantinedCount - droppedCount) }
  }

  /** @returns the number of messages that stay quarantined */
  async #retryAll(settings: VerifySettings, done: Ingested): Promise<number> {
    for (let [after, quarantinedCount] = [-1, 0]; ; ) {
      const { last, messages } = await this.#database.read((session) => this.#quarantine.page(session, after))
      if (messages.length === 0) return quarantinedCount
      after = last
      quarantinedCount += await this.#retrySome(messages, settings, done)
    }
  }

  async #retrySome(
    messages: readonly ReceivedMessage[],
    settings: VerifySettings,
    done: Ingested,
  ): Promise<number> {
    const { found, controlMessages, refused, skipped } = await verifyAll(messages, settings)
    const quarantinedMessages = new Set(refused.filter(isUnknownSigner).map(({ message }) => message))
    for (const { error } of refused.filter((one) => !isUnknownSigner(one))) countRejected(error, done)
    done.skipped += skipped
    await this.#addControlMessages(controlMessages, done)
    // Store messages before removing them from quarantine. If the process ends in between, a retry removes them.
    for (const message of await this.#storeAll(found, done)) quarantinedMessages.add(message)
    const decided = messages.map(({ message }) => message).filter((one) => !quarantinedMessages.has(one))
    await this.#writeAlone((session) => this.#quarantine.release(session, decided))
    return quarantinedMessages.size
  }
}

/** Counts distinct messages. A batch counts once, however many of its bundles are refused. */
function countDistinct(messages: readonly Uint8Array[]): number {
  return new Set(messages).size
}

function isUnknownSigner({ error }: Refusal): boolean {
  return error.code === 'SIGNER_UNKNOWN'
}

function countRejected({ code }: AlvariumError, { rejected }: Ingested): void {
  rejected[code] = (rejected[code] ?? 0) + 1
}
