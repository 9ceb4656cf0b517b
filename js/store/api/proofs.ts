import type { LogCheckpoint } from '../../evidence/logs/checkpoint.js'
import type { AskedCheckpoint } from '../../evidence/witness/log-witnesses.js'
import type { AuditOptions } from '../audit/audit.js'
import type { AuditReport } from '../audit/report.js'

/** The methods of a {@link Store} that prove that nothing was altered or left out. */
export interface StoreProofs {
  /** Public key of the log as in signed notes (C2SP signed-note): `origin+id+key`. Undefined without `log`. */
  readonly vkey: string | undefined

  /**
   * Signs the log's present size and root (C2SP tlog-checkpoint). Keep the checkpoint's `note` where the
   * database's owner cannot alter it, for {@link audit}.
   *
   * @throws AlvariumError `CONFIG_INVALID` without the option `log`; `SIGNER_FAILED`; `STORE_DAMAGED` when
   * the log differs from the newest checkpoint, `SIGNATURE_INVALID` or `MESSAGE_MALFORMED` when the newest
   * checkpoint was not signed by this key; `STORE_FAILED`
   *
   * @example
   * ```ts
   * const { size, note } = await store.checkpoint()
   * await writeFile(`checkpoint-${size}.txt`, note)
   * ```
   */
  checkpoint(): Promise<LogCheckpoint>

  /**
   * Signs the log now, asks the witnesses of the option `log`, and waits at most `witnessTimeoutMs` for their
   * answers. A store also asks them after each checkpoint, but does not wait.
   *
   * @returns the note with the cosignatures, each witness's answer, and the verdict of the quorum
   * @throws AlvariumError `CONFIG_INVALID` without `log.witnesses`; as {@link checkpoint}
   *
   * @example
   * ```ts
   * import type { Store } from 'alvarium-sdk/store'
   *
   * async function tell(store: Store) {
   *   const { witnessed: verdict, answers } = await store.askWitnesses()
   *   console.log(verdict.says) // seen by 2 of 3 witnesses by 2026-05-01T10:00:00Z
   *   for (const { outcome, says } of answers) if (outcome !== 'cosigned') console.log(says)
   * }
   * ```
   */
  askWitnesses(): Promise<AskedCheckpoint>

  /**
   * Proves that a bundle is in the log, under the log's newest checkpoint. Returns a text (C2SP tlog-proof)
   * that `verifyLogProof` verifies without the store. The proof does not show whether the bundle was pruned
   * since. With a pruning's id, it proves that the pruning is in the log.
   *
   * @param id - the id of a bundle, or of a pruning as {@link audit} lists it
   * @returns undefined if no checkpoint covers the entry yet, or the store does not have the entry
   * @throws AlvariumError `CONFIG_INVALID` for an invalid id, `STORE_FAILED`
   *
   * @example
   * ```ts
   * const proof = await store.prove(bundle.id)
   * if (proof !== undefined) await writeFile('in-the-log.txt', proof)
   * ```
   */
  prove(id: string): Promise<string | undefined>

  /**
   * Proves, for `verifyLogConsistency`, that the log has only grown from an older checkpoint to its newest one.
   *
   * @param older - signed note of that checkpoint
   * @returns undefined if the store has no checkpoint of at least that size; each hash in `path` has 64
   * hexadecimal digits
   * @throws AlvariumError `MESSAGE_MALFORMED`, `STORE_FAILED`
   *
   * @example
   * ```ts
   * const { note } = await store.checkpoint()
   * const growth = await store.proveGrowth(note)
   * console.log(growth?.path.length) // 0, as nothing has come since
   * ```
   */
  proveGrowth(
    older: string,
  ): Promise<{ readonly checkpoint: string; readonly path: readonly string[] } | undefined>

  /**
   * Verifies the whole store again: the messages, the columns and lineage edges derived from them, the log,
   * its tiles and its checkpoints. It also verifies that the log has only grown since a checkpoint that was
   * kept elsewhere. The report names each difference. Bundles count as pruned if their pruning is in the log;
   * the report names the signed checkpoint that covers it. The times of receipt cannot be proved, because
   * messages do not contain them.
   *
   * An audit takes about as long as storing did, and occupies the connection, so open a second store for it.
   * It sees one state of the store, so the database keeps pruned rows until it ends.
   *
   * @throws AlvariumError `MESSAGE_MALFORMED` or `SIGNATURE_INVALID` for a checkpoint of another log or by
   * another key; `CONFIG_INVALID`, `STORE_FAILED`
   *
   * @example
   * ```ts
   * const { note } = await store.checkpoint() // keep it where nobody who may change the database can change it
   * const { outcome, says, needs, differences } = await store.audit({ checkpoint: note })
   * for (const { table, row, what, expected, got } of differences) console.log(table, row, what, expected, got)
   * console.log(says)
   * if (outcome !== 'holds') process.exitCode = outcome === 'cannot tell' ? 2 : 1
   * if (needs !== undefined) console.log(needs)
   * ```
   */
  audit(options?: AuditOptions): Promise<AuditReport>
}
