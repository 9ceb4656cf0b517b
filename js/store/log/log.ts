import * as v from 'valibot'
import { type LogCheckpoint, readCheckpoint, signCheckpoint } from '../../evidence/logs/checkpoint.js'
import type { LogSigner } from '../../evidence/logs/key.js'
import { consistencyOf, inclusionOf } from '../../evidence/logs/paths.js'
import type { AskedCheckpoint } from '../../evidence/witness/log-witnesses.js'
import { type AskedWitnesses, askedMembers } from '../../evidence/witness/options.js'
import { toHex } from '../../foundation/base/bytes/hex.js'
import { AlvariumError, needs } from '../../foundation/base/errors.js'
import type { Logger } from '../../foundation/base/logger.js'
import { integer, MAX_TIMEOUT_MS, strict } from '../../foundation/base/options/schema.js'
import { unref } from '../../foundation/base/time/timeout.js'
import type { SignerInput } from '../../signing/keys/signer.js'
import type { Database, Session } from '../database/database.js'
import { bytesIn, numberIn } from '../rows/columns.js'
import { extendTiles, logSize, nodesIn, Tiles } from './tiles.js'
import { idBytes, writeProof } from './verify-proof.js'
import type { StoreWitnesses } from './witnessing.js'

/** Configures the log of a store: name, key, interval between checkpoints, and witnesses. */
export interface LogOptions extends Omit<AskedWitnesses, 'witnesses'> {
  /** Name of the log: a domain and a path without a scheme, such as `example.com/store-1`. No spaces and no `+`. */
  readonly origin: string
  /** Ed25519 private key in any usual form, or your own `Signer`. Do not use this key for anything else. */
  readonly signingKey: SignerInput
  /** Number of entries after which a checkpoint is signed. Default `10_000`. */
  readonly every?: number | undefined
  /** Milliseconds after which a checkpoint is signed if the log has grown. Default `60_000`. */
  readonly everyMs?: number | undefined
  /**
   * Witnesses to ask about each checkpoint (C2SP tlog-witness), in the background. Their cosignatures are
   * stored in the note. A witness that does not answer is asked again after `everyMs`, and the failure is
   * logged. 1 to 15. Default: none.
   */
  readonly witnesses?: AskedWitnesses['witnesses'] | undefined
}

export const logSchema = strict({
  origin: v.pipe(v.string('a name'), v.regex(/^[^\s+]{1,255}$/, '1 to 255 characters without spaces and +')),
  signingKey: v.unknown(),
  every: integer(1, 1_000_000_000, 10_000),
  everyMs: integer(100, MAX_TIMEOUT_MS, 60_000),
  ...askedMembers,
})

interface LogSettings {
  readonly every: number
  readonly everyMs: number
  readonly logger: Logger
  readonly witnesses?: StoreWitnesses | undefined
}

/** Signs the log of a store. Ingesters add leaves, and this class makes tiles and checkpoints from the leaves. */
export class SigningStoreLog {
  readonly signer: LogSigner
  readonly #database: Database
  readonly #settings: LogSettings
  readonly #timer: ReturnType<typeof setInterval>
  /** Number of entries added since the last attempt to sign, whether or not the attempt succeeded. */
  #untried = 0

  constructor(database: Database, signer: LogSigner, settings: LogSettings) {
    this.#database = database
    this.signer = signer
    this.#settings = settings
    this.#timer = setInterval(() => void this.#look(), settings.everyMs)
    unref(this.#timer)
  }

  /** Signs a checkpoint per `every` added entries. If that fails, the next checkpoint covers them. */
  async added(count: number): Promise<void> {
    this.#untried += count
    if (this.#untried >= this.#settings.every) await this.tryCheckpoint()
  }

  async #look(): Promise<void> {
    await this.#signIfGrown()
    this.#settings.witnesses?.look()
  }

  /** Signs a checkpoint if there are unsigned entries, including those of processes that cannot sign. */
  async #signIfGrown(): Promise<void> {
    const isGrown = this.#untried > 0 || (await this.#database.read(hasUnsigned).catch(() => false))
    if (isGrown) await this.tryCheckpoint()
  }

  /** Signs a checkpoint of the present log. Logs a failure; the next checkpoint then covers the entries. */
  async tryCheckpoint(): Promise<LogCheckpoint | undefined> {
    try {
      return await this.checkpoint()
    } catch (err) {
      this.#settings.logger.warn({ err }, 'the log of the store has no new checkpoint')
      return undefined
    }
  }

  /** Signs a checkpoint of the present log, unless the newest one covers all entries. */
  async checkpoint(): Promise<LogCheckpoint> {
    const checkpoint = await this.#signed()
    this.#settings.witnesses?.look()
    return checkpoint
  }

  async askWitnesses(): Promise<AskedCheckpoint> {
    await this.#signed()
    const { witnesses } = this.#settings
    if (witnesses) return witnesses.ask()
    throw needs('log.witnesses', 'witnesses in openStore')
  }

  async #signed(): Promise<LogCheckpoint> {
    this.#untried = 0
    return this.#database.write(async (session) => {
      // Take a lock that only signing takes: one process signs at a time, and ingesters do not wait for it.
      await session.query('select pg_advisory_xact_lock($1::text::bigint)', [LOCK])
      const last = await newestCheckpoint(session)
      const known = last === undefined ? undefined : readCheckpoint(last, this.signer)
      const tiles = await Tiles.of(session)
      if (known) assertTiles(tiles, known)
      const size = await logSize(session)
      if (known?.size === size) return known
      await extendTiles(session, tiles, size)
      const checkpoint = await signCheckpoint(this.signer, size, tiles.root)
      await session.query(ADD, [size, new TextEncoder().encode(checkpoint.note), Date.now()])
      return checkpoint
    })
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#signIfGrown()
    await this.#settings.witnesses?.settled()
  }
}

/** Key of the advisory lock: a number that no other lock of the store has. */
const LOCK = '7020378087036742509'

const ADD = `
  insert into alvarium.checkpoint (size, note, made) values ($1::bigint, $2::bytea, $3::bigint)
  on conflict (size) do update set note = excluded.note, made = excluded.made`

async function hasUnsigned(session: Session): Promise<boolean> {
  const [row] = await session.query(
    'select leaves > (select coalesce(max(size), 0) from alvarium.checkpoint) as more from alvarium.head',
  )
  return row?.['more'] === true
}

async function newestCheckpoint(session: Session): Promise<string | undefined> {
  const [row] = await session.query('select note from alvarium.checkpoint order by size desc limit 1')
  return row && new TextDecoder().decode(bytesIn(row, 'note'))
}

/** Checks that the tiles hash to the last signed root. Otherwise the next checkpoint would sign altered entries. */
function assertTiles(tiles: Tiles, { size, root }: LogCheckpoint): void {
  if (tiles.size === size && tiles.root === root) return
  const text = `store: the tiles do not match the last checkpoint, of ${size} entries: run audit`
  throw new AlvariumError('STORE_DAMAGED', text)
}

/** Proves that an entry is in the log. Returns undefined if the newest checkpoint does not cover the entry. */
export async function proofOf(session: Session, id: string): Promise<string | undefined> {
  const [leaf] = await session.query('select seq from alvarium.leaf where id = $1::bytea', [idBytes(id)])
  const note = await newestCheckpoint(session)
  if (!leaf || note === undefined) return undefined
  const [index, { size }] = [numberIn(leaf, 'seq'), readCheckpoint(note, undefined)]
  if (index >= size) return undefined
  return writeProof(index, await inclusionOf(nodesIn(session), index, size), note)
}

export async function growthSince(
  session: Session,
  older: string,
): Promise<{ readonly checkpoint: string; readonly path: string[] } | undefined> {
  const { size: from } = readCheckpoint(older, undefined)
  const checkpoint = await newestCheckpoint(session)
  if (checkpoint === undefined) return undefined
  const { size } = readCheckpoint(checkpoint, undefined)
  if (from > size) return undefined
  return { checkpoint, path: (await consistencyOf(nodesIn(session), from, size)).map(toHex) }
}
