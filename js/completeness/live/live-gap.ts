import { msOf } from '../times.js'
import type { Remembered } from './remembered.js'

/** A part of a log without a checkpoint, and what came of it. */
export interface LiveGap {
  readonly run: string
  /** Its first and its last position. */
  readonly first: number
  readonly last: number
  readonly since: string
  readonly until: string
  /** Whether what did not come is missing, and not unknown. */
  readonly isJudged: boolean
  /** When it was found, in milliseconds since 1970. */
  readonly foundAt: number
  /** So many messages of it are not there, as far as is known. */
  absent: number
  isTold: boolean
}

/** Checkpoints have whole milliseconds, and the clock of bundles is up to two of them away. */
export const CLOCK_MS = 3

/** Takes what came in its time and is in no list. Returns how many these were. */
export function fill(gap: LiveGap, remembered: Remembered, toleranceMs: number): number {
  const [since, until] = [msOf(gap.since) - Math.max(CLOCK_MS, toleranceMs), msOf(gap.until) + CLOCK_MS]
  const found: { id: string }[] = []
  for (const [id, unlisted] of remembered.unlisted) {
    if (found.length === gap.absent) break
    const ms = msOf(unlisted.timestamp)
    if (ms >= since && ms <= until) found.push({ id })
  }
  for (const { id } of found) remembered.take(id)
  if (found.length > 0) remembered.list(found, gap.until, new Map())
  gap.absent -= found.length
  return found.length
}
