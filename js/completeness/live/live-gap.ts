import { countBefore } from '../../base/search.js'
import type { Gap } from '../report.js'
import { msOf } from '../times.js'
import { CLOCK_MS, type Remembered, type UnlistedMessage } from './remembered.js'

/** A part of a log without a checkpoint, and what came of it. */
export interface LiveGap extends Gap {
  /** Whether what did not come is missing, and not unknown. */
  isJudged: boolean
  /** When it was found, in milliseconds since 1970. */
  readonly foundAt: number
  /** So many messages of it are not there, as far as is known. */
  absent: number
  isTold: boolean
}

/**
 * Takes what came in its time and is in no list. Returns how many these were.
 *
 * Messages of gaps of several runs at one time are told apart by time alone. If the gap that ends first takes the first of them, as many
 * as can be are taken: what is left for the others is later, and fits them no less.
 *
 * @param unlisted - those that came and were in no list, in the order of their times
 */
export function fill(
  gap: LiveGap,
  unlisted: readonly UnlistedMessage[],
  remembered: Remembered,
  toleranceMs: number,
): number {
  const [since, until] = [msOf(gap.since) - Math.max(CLOCK_MS, toleranceMs), msOf(gap.until) + CLOCK_MS]
  const isOlder = (at: number) => (unlisted[at] as UnlistedMessage).ms < since
  const found: { readonly id: string }[] = []
  let at = countBefore(unlisted.length, isOlder)
  for (; at < unlisted.length && found.length < gap.absent; at++) {
    const { key, ms } = unlisted[at] as UnlistedMessage
    if (ms > until) break
    // Another gap may have taken it.
    if (remembered.take(key)) found.push({ id: key })
  }
  if (found.length > 0) remembered.list(found, gap.until, new Map())
  gap.absent -= found.length
  return found.length
}
