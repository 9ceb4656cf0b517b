import { setTimeout as sleep } from 'node:timers/promises'

/** Folders on network disks tell nobody that something has changed: so one looks. */
const LOOK_EVERY_MS = 500

/** Looks again and again, until it is stopped. */
export async function watched(look: () => Promise<void>, interrupted: AbortSignal): Promise<void> {
  while (!interrupted.aborted) {
    await look()
    // Stopped meanwhile, there is nothing more to wait for.
    await sleep(LOOK_EVERY_MS, undefined, { signal: interrupted }).catch(() => {})
  }
}
