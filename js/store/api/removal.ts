import type { PayloadName } from '../../judge/payload-name.js'
import type { Forgotten } from '../pruning/forget.js'
import type { Pruned, PruneOptions } from '../pruning/prune.js'
import type { ForgetSelection } from '../pruning/selection.js'

/** What takes something out of a store: {@link Store} has it. */
export interface StoreRemoval {
  /**
   * Removes what is old: of a bundle, its place in the log and its id are left, so the log stays provable. What was pruned is counted by
   * {@link StoreQuestions.about | about}, verdicts and {@link StoreProofs.audit | audit}. What was quarantined goes too, if it is as old.
   *
   * Each transaction is an entry of the log. With the option `log`, the call ends with a signed checkpoint that has them, also where it is ended halfway. Without
   * it, the database alone says what was pruned, until somebody signs the next checkpoint.
   *
   * Texts that nothing names any more go too, which are payload keys of hash `none`. Names of signers, hosts, kinds and tags stay.
   *
   * It takes as many transactions as it needs, of about 2,000 bundles each, so others can store meanwhile. Called again, it goes on.
   *
   * @throws TypeError for what is no time
   * @throws AlvariumError `CONFIG_INVALID` naming the option, `STORE_FAILED` where the role may not remove; the reason of `signal`
   *
   * @example
   * ```ts
   * const { bundles } = await store.prune({ before: Date.now() - 90 * 86_400_000 })
   * console.log(bundles)
   * ```
   */
  prune(options: PruneOptions): Promise<Pruned>

  /**
   * Removes all that names a payload, or many: for a payload key of hash `none`, which is the payload itself. Bundles about it go, and
   * bundles that name it as an input; then its name, with its digest. Ids and places stay, as {@link prune} has it. Bundles that came in one batch
   * with them get messages of their own, which verify. The log has it as it has a pruning, and does not name the payload.
   *
   * Afterwards the store knows nothing of the payload, not even that it did. What was made from it has `pruned` bundles. A pruned message that
   * is redelivered is a copy; a new bundle about the payload is stored. Messages that are quarantined are not searched.
   *
   * One call is one transaction and one entry of the log, up to 50,000 bundles and 4 MiB of batches; with more, each transaction has an entry. `about` and
   * `lineage` of what was made from a forgotten payload say when (`forgottenAt`).
   *
   * @param payload - a payload; or `{ payloads }`, `{ tag }` or `{ inputsOf }`
   * @throws as {@link StoreQuestions.about | about}; `MESSAGE_MALFORMED` or `CODEC_FAILED` where this store has another `codec` than what has stored it
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
