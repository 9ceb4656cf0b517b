import { readOptions } from '../foundation/base/options/schema.js'
import { isTrustPolicy } from '../signing/keys/trust-policy.js'
import type { StreamProvider } from '../transport/streams/stream.js'
import { openDeadLetter } from '../verifying/consume/dead-letter.js'
import type { StoreIntake } from './api/intake.js'
import type { Database } from './database.js'
import { grouped, type Message } from './gathering.js'
import {
  assertMessages,
  type Groups,
  type Ingested,
  type Ingester,
  isSubscription,
  nothingIngested,
} from './ingest.js'
import { StoreLeases } from './leases.js'
import { type IngestOptions, ingestSchema } from './options.js'
import type { Reading } from './verifying.js'

/** The methods of a store that add messages. They also verify by the leases in the store. */
export class OpenedIntake implements StoreIntake {
  readonly #database: Database
  readonly #reading: Reading
  readonly #ingester: Ingester
  readonly #leases = new StoreLeases()
  /** Counts of dead letters until an ingest of a subscription reports them. */
  #letters = nothingIngested()

  constructor(database: Database, reading: Reading, ingester: Ingester) {
    this.#database = database
    this.#reading = reading
    this.#ingester = ingester
    database.forgetWithConnection(this.#leases)
  }

  async ingest(
    source: Groups | Iterable<Message> | AsyncIterable<Message>,
    options: IngestOptions = {},
  ): Promise<Ingested> {
    const { onRejected } = readOptions(ingestSchema, options, 'ingest')
    this.#database.assertOpen()
    if (isSubscription(source)) return this.#withLetters(await this.#ingester.fromSubscription(source))
    assertMessages(source)
    const done = nothingIngested()
    for await (const group of grouped(source)) {
      await this.#ingester.messages(group, await this.#readingNow(), done, onRejected)
    }
    return done
  }

  async judge(): Promise<Ingested> {
    return this.#ingester.judge(await this.#readingNow())
  }

  deadLetters(): StreamProvider {
    return {
      publish: async (bytes) => {
        const { message = NOTHING, receivedAt } = openDeadLetter(bytes)
        await this.#ingester.messages([{ message, receivedAt }], await this.#readingNow(), this.#letters)
      },
    }
  }

  /** Adds the counts of dead letters to the result. */
  #withLetters(done: Ingested): Ingested {
    const { rejected, ...counts } = this.#letters
    this.#letters = nothingIngested()
    addTo(done.rejected, rejected)
    addTo<keyof typeof counts>(done, counts)
    return done
  }

  /** Returns the settings with the store's present leases. */
  async #readingNow(): Promise<Reading> {
    if (!isTrustPolicy(this.#reading.keyring)) return this.#reading
    const leases = await this.#database.read((session) => this.#leases.read(session, this.#reading))
    return { ...this.#reading, leases }
  }

  /** Frees the core's memory. */
  close(): void {
    this.#leases.close()
  }
}

/** Empty message, for a dead letter that had no room for its message. It does not verify. */
const NOTHING = new Uint8Array()

function addTo<Name extends string>(
  sums: Record<Name, number>,
  counts: Readonly<Record<Name, number>>,
): void {
  for (const [name, count] of Object.entries<number>(counts))
    sums[name as Name] = (sums[name as Name] ?? 0) + count
}
