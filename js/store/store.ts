/// <reference lib="esnext.disposable" preserve="true" />
// `alvarium-sdk/store`: stores verified bundles in PostgreSQL, and answers questions about them.

import { logSigner } from '../evidence/logs/key.js'
import { readQuorumIfAny } from '../evidence/witness/options.js'
import { safeLogger } from '../foundation/base/logger.js'
import { readOptions } from '../foundation/base/options/schema.js'
import { keyringOf } from '../signing/keys/key-lists.js'
import type { SignerInput } from '../signing/keys/signer.js'
import { isTrustPolicy } from '../signing/keys/trust-policy.js'
import type { Store } from './api/store.js'
import { type Connection, connectorOf } from './database/connection.js'
import { Database } from './database/database.js'
import { Quarantine } from './ingest/quarantine.js'
import { SigningStoreLog } from './log/log.js'
import { StoreWitnesses } from './log/witnessing.js'
import { migrate } from './migrations.js'
import { OpenedStore } from './opened-store.js'
import { type StoreOptions, schema } from './options.js'
import { defaultPolicy } from './scoring/options.js'

export type { LogCheckpoint } from '../evidence/logs/checkpoint.js'
export type { StoreIntake } from './api/intake.js'
export type { StoreProofs } from './api/proofs.js'
export type { StoreQuestions } from './api/questions.js'
export type { StoreRemoval } from './api/removal.js'
export type { Store } from './api/store.js'
export type { AuditOptions, AuditProgress } from './audit/audit.js'
export type { Difference } from './audit/findings.js'
export type { Pruning } from './audit/prunings.js'
export type { AuditReport } from './audit/report.js'
export type { UntrustedSigner } from './audit/signers.js'
export type { MissingOptions, MissingPage } from './completeness/missing.js'
export type { MissingOfSigner, PartOfSigner } from './completeness/signer-completeness.js'
export type { Connection } from './database/connection.js'
export type { TimeSpan } from './ingest/arrivals.js'
export type { Message } from './ingest/group-messages.js'
export type { Groups, Ingested, Rejected } from './ingest/ingester.js'
export type { LogOptions } from './log/log.js'
export {
  type LogProofOptions,
  type VerifiedInclusion,
  verifyLogConsistency,
  verifyLogProof,
} from './log/verify-proof.js'
export type { IngestOptions, QuarantineOptions, StoreOptions } from './options.js'
export type { Forgotten } from './pruning/forget.js'
export type { Pruned, PruneOptions } from './pruning/prune.js'
export type { ForgetSelection } from './pruning/selection.js'
export type { AboutOptions, AboutPayload } from './questions/about.js'
export type { ExportedMessage } from './questions/export.js'
export type {
  AnswersOptions,
  HourOfAnswers,
  LastHeard,
  SilentOptions,
  StoreStats,
} from './questions/figures.js'
export type { BundleFilter } from './questions/filter.js'
export type { Lineage, LineageOptions, Relative } from './questions/lineage.js'
export type { Page, PageOptions } from './questions/search.js'
export type { StoredBundle, TrustedBundle } from './questions/stored-bundle.js'
export type { ScoreOptions, TrustOption } from './scoring/options.js'

/**
 * Opens a store in PostgreSQL 15 or newer, or in PGlite. The tables are in the schema `alvarium`, which is
 * created or upgraded if necessary. With `create: false`, a missing store is an error. Several processes may
 * open a store at the same time.
 *
 * @param database - one connection that no other code uses: a connected `Client` of `pg`, `await
 * pool.connect()`, or a `PGlite`. The caller closes it. Or a URL, `postgres://…`, which needs the package
 * `pg`; a lost connection is then opened again. Or `folder:./path` for a store in a folder, which only
 * one store at a time may open. Or `memory:` for a store that ends with the process. The last two need
 * `@electric-sql/pglite`
 * @throws AlvariumError `CONFIG_INVALID` naming the option, or naming the missing package; `KEY_INVALID`;
 * `STORE_LOCKED` when another store or process has the folder open; `STORE_FAILED` when the database does not
 * answer, or its tables are of a newer version
 *
 * @example
 * ```ts
 * import { openStore } from 'alvarium-sdk/store'
 *
 * const store = await openStore('memory:', { keyring })
 * const { bundles, copies } = await store.ingest([message])
 * console.log(bundles, copies) // 1 0
 * await store.close()
 * ```
 */
export async function openStore(database: Connection | string, options: StoreOptions): Promise<Store> {
  const {
    keyring,
    create,
    codec,
    classic,
    quarantine,
    queryTimeoutMs,
    policy = defaultPolicy(),
    log: logged,
    logger: given,
  } = readOptions(schema, options)
  const settings = { keyring: isTrustPolicy(keyring) ? keyring : keyringOf(keyring), codec, classic }
  const logger = safeLogger(given)
  if (logged) readQuorumIfAny(logged, 'log')
  const signer = logged && (await logSigner(logged.origin, logged.signingKey as SignerInput))
  const opened = new Database(connectorOf(database, create), { queryTimeoutMs, logger })
  try {
    await migrate(opened, create)
  } catch (error) {
    await opened.close().catch(() => undefined)
    throw error
  }
  const witnesses =
    logged?.witnesses && new StoreWitnesses(opened, { ...logged, witnesses: logged.witnesses }, logger)
  const log = signer && new SigningStoreLog(opened, signer, { ...logged, logger, witnesses })
  return new OpenedStore({ database: opened, settings, quarantine: new Quarantine(quarantine), policy, log })
}
