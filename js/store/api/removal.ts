import type { Pruned, PruneOptions } from '../pruning/prune.js'

/** What takes something out of a store: {@link Store} has it. */
export interface StoreRemoval {
  /**
   * Removes what is old: of a bundle, its place in the log and its id are left, so the log stays provable. What was pruned is counted by
   * {@link StoreQuestions.about | about}, verdicts and {@link StoreProofs.audit | audit}. What was kept apart goes too, if it is as old.
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
}
