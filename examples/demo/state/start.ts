/** Starts all parts of the page once. */
import { effect, signal } from '@preact/signals'
import type { Trouble } from '../protocol.ts'
import { asked } from './asked.ts'
import { openJourney } from './journey.ts'
import { setKey } from './key.ts'
import { CallFailed } from './link.ts'
import { place } from './place.ts'
import { verifierConnection } from './verdicts.ts'
import { maker, verifier } from './workers.ts'

/**
 * State of the start. `isReady` means that calls can be made, even without a connection. `trouble` is the
 * reason why the SDK does not run in this browser.
 */
export const start = signal<{ readonly isReady: boolean; readonly trouble?: Trouble }>({ isReady: false })

/** Opens verifier and maker. Sets `trouble` on an error, such as `CORE_UNAVAILABLE`. */
export async function startAll(): Promise<void> {
  try {
    const made = maker.call('open', { place, asked: asked.value })
    const [key] = await Promise.all([made, verifier.call('open', place)])
    await setKey(key)
    effect(() => void maker.call('heard', verifierConnection.value))
    start.value = { isReady: true }
    await openJourney()
  } catch (error) {
    const code = error instanceof CallFailed ? error.code : 'INTERNAL'
    start.value = {
      isReady: false,
      trouble: { code, message: String(error instanceof Error ? error.message : error) },
    }
  }
}
