import type { Logger } from '../base/logger.js'
import { Aside } from './aside.js'
import type { Damage } from './events.js'
import { find } from './found.js'
import { Ledger } from './ledger.js'
import { Losses } from './losses.js'
import type { OpenedStore, OutboxStore } from './store.js'

/** What was found in a store. */
export interface Contents {
  readonly ledger: Ledger
  readonly aside: Aside
  readonly losses: Losses
  /** The last number before the first that is there. */
  readonly erased: number
  /** Tells what is gone. */
  tellLosses(): Promise<void>
}

/** Opens a store and looks at what is in it. @throws AlvariumError `STORE_LOCKED`, `STORE_FAILED` */
export async function openContents(
  store: OutboxStore,
  logger: Logger,
  damaged: (damage: Damage) => void,
): Promise<Contents> {
  const opened = (await store.open()) ?? {}
  logOddities(opened, logger)
  const { mark, missing } = await find(store, opened)
  const ledger = new Ledger(mark)
  const aside = await Aside.of(store.aside, ledger)
  ledger.startAfter(aside.last)
  const losses = new Losses(store, ledger, damaged)
  const erased = (opened.first ?? ledger.settled + 1) - 1
  return { ledger, aside, losses, erased, tellLosses: () => losses.atStart(missing, mark.aside, aside) }
}

function logOddities({ foreign, unchecked }: OpenedStore, logger: Logger): void {
  if (foreign) logger.warn({ entries: foreign }, 'outbox: the store has entries that are not from an outbox')
  if (!unchecked) return
  const text =
    'outbox: damaged files have more places where a message may begin than they can hold; some were not looked at'
  logger.warn({ places: unchecked }, text)
}
