import { readOptions } from '../../foundation/base/options/schema.js'
import { isTrustPolicy } from '../../signing/keys/trust-policy.js'
import type { StreamProvider } from '../../transport/streams/stream.js'
import { openDeadLetter } from '../../verifying/consume/dead-letter.js'
import type { StoreIntake } from '../api/intake.js'
import type { Database } from '../database/database.js'
import { type IngestOptions, ingestSchema } from '../options.js'
import { groupMessages, type Message } from './group-messages.js'
import {
  assertMessages,
  type Groups,
  type Ingested,
  type Ingester,
  isSubscription,
  noCounts,
} from './ingester.js'
import { StoreLeases } from './leases.js'
import type { VerifySettings } from './verify-all.js'

/** The methods of a store that add messages. Verifies messages by the leases in the store, too. */
export class OpenedIntake implements StoreIntake {
  readonly #database: Database
  readonly #settings: VerifySettings
  readonly #ingester: Ingester
  readonly #leases = new StoreLeases()
  /** Counts of dead letters that no result of `ingest` includes yet. */
  #deadLetters = noCounts()

  constructor(database: Database, settings: VerifySettings, ingester: Ingester) {
    this.#database = database
    this.#settings = settings
    this.#ingester = ingester
    database.clearOnConnect(this.#leases)
  }

  async ingest(
    source: Groups | Iterable<Message> | AsyncIterable<Message>,
    options: IngestOptions = {},
  ): Promise<Ingested> {
    const { onRejected } = readOptions(ingestSchema, options, 'ingest')
    this.#database.assertOpen()
    if (isSubscription(source)) return this.#withLetters(await this.#ingester.ingestSubscription(source))
    assertMessages(source)
    const done = noCounts()
    for await (const group of groupMessages(source)) {
      await this.#ingester.ingestMessages(group, await this.#settingsNow(), done, onRejected)
    }
    return done
  }

  async retryQuarantine(): Promise<Ingested> {
    return this.#ingester.retryQuarantine(await this.#settingsNow())
  }

  deadLetters(): StreamProvider {
    return {
      publish: async (bytes) => {
        const { message = NOTHING, receivedAt } = openDeadLetter(bytes)
        const settings = await this.#settingsNow()
        await this.#ingester.ingestMessages([{ message, receivedAt }], settings, this.#deadLetters)
      },
    }
  }

  #withLetters(done: Ingested): Ingested {
    const { rejected, ...counts } = this.#deadLetters
    this.#deadLetters = noCounts()
    addTo(done.rejected, rejected)
    addTo<keyof typeof counts>(done, counts)
    return done
  }

  async #settingsNow(): Promise<VerifySettings> {
    if (!isTrustPolicy(this.#settings.keyring)) return this.#settings
    const leases = await this.#database.read((session) => this.#leases.read(session, this.#settings))
    return { ...this.#settings, leases }
  }

  close(): void {
    this.#leases.close()
  }
}

/** Stands for a message that was too long to be included in its dead letter. An empty message does not verify. */
const NOTHING = new Uint8Array()

function addTo<Name extends string>(
  sums: Record<Name, number>,
  counts: Readonly<Record<Name, number>>,
): void {
  for (const [name, count] of Object.entries<number>(counts))
    sums[name as Name] = (sums[name as Name] ?? 0) + count
}
