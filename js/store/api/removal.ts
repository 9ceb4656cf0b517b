import type { PayloadName } from '../../verifying/score/payload-name.js'
import type { Forgotten } from '../pruning/forget.js'
import type { Pruned, PruneOptions } from '../pruning/prune.js'
import type { ForgetSelection } from '../pruning/selection.js'

/** The methods of a {@link Store} that remove rows. */
export interface StoreRemoval {
  /**
   * Removes the bundles, and the quarantined messages, that were received before `before`. A bundle's place
   * in the log and its id stay, so the log stays provable. {@link StoreQuestions.about | about}, verdicts and
   * {@link StoreProofs.audit | audit} count pruned bundles.
   *
   * Each transaction adds an entry to the log. With the option `log`, the call ends with a signed checkpoint
   * that covers these entries, even if the call fails halfway. Without the option, the database is the only
   * evidence for the prunings until a checkpoint is signed.
   *
   * The call also removes payload keys of hash `none` to which no bundle refers any more. The names of signers,
   * hosts, kinds and tags stay. The call takes as many transactions as it needs, of about 2,000 bundles each, so other
   * connections can store between them. A second call continues an interrupted one.
   *
   * @throws TypeError for an invalid time
   * @throws AlvariumError `CONFIG_INVALID` naming the option, `STORE_FAILED` if the database role may not
   * delete; the reason of `signal`
   *
   * @example
   * ```ts
   * const { bundles } = await store.prune({ before: Date.now() - 90 * 86_400_000 })
   * console.log(bundles)
   * ```
   */
  prune(options: PruneOptions): Promise<Pruned>

  /**
   * Removes all bundles that name one or more payloads. Use it for payload keys of hash `none`, which are the
   * payloads themselves. It removes bundles about a payload, bundles that name the payload as an input, and
   * then the payload's name and digest. Bundle ids and positions in the log stay, as with {@link prune}. Other
   * bundles of the same batches get new messages, which verify. The log gets an entry, as for a pruning. It does not
   * name the payload.
   *
   * Afterwards the store knows nothing of the payload, not even that it existed. Payloads made from it have
   * `pruned` bundles. A redelivered message that was pruned counts as a copy; a new bundle about the payload
   * is stored. Quarantined messages are not searched.
   *
   * Up to 50,000 bundles and 4 MiB of batches, one call is one transaction, with one entry of the log. Larger calls
   * take several transactions, with an entry each. `about` and `lineage` of payloads made from a forgotten one report
   * the time of the removal (`forgottenAt`).
   *
   * @param payload - a payload; or `{ payloads }`, `{ tag }` or `{ inputsOf }`
   * @throws as {@link StoreQuestions.about | about}; `MESSAGE_MALFORMED` or `CODEC_FAILED` if another `codec`
   * wrote the messages
   *
   * @example
   * ```ts
   * await store.forget({ key: 'ann@example.com', hash: 'none' })
   * const { payloads, bundles } = await store.forget({ tag: 'person-17' })
   * console.log(payloads, bundles)
   * ```
   */
  forget(payload: Uint8Array | PayloadName | ForgetSelection): Promise<Forgotten>
}
