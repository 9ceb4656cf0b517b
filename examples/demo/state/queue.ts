/** Calls that wait for the stream: with the broker away they gather, bounded, and go out when it is back. */
import { effect, signal, untracked } from '@preact/signals'
import type { Connection } from '../protocol.ts'
import { makerConnection, waiting } from './making.ts'

/** Calls that wait, or had waited, and how many were out before the first of them. */
export interface Backlog {
  readonly of: number
  readonly settledBefore: number
}

/**
 * `flowing`: nothing was held lately. `held`: no connection, calls wait. `draining`: it is back, and they go out.
 * `drained`: all of them have been accepted.
 */
export type QueuePhase =
  | { readonly name: 'flowing' }
  | ({ readonly name: 'held' | 'draining' | 'drained' } & Backlog)

export const queuePhase = signal<QueuePhase>({ name: 'flowing' })

/** Calls since the page was opened that have waited and are out. */
const settled = () => waiting.value.out

/** How many of the calls that had waited are out. */
export function drained({ of, settledBefore }: Backlog): number {
  return Math.min(settled() - settledBefore, of)
}

effect(() => {
  const { state } = makerConnection.value
  const backlog = { of: waiting.value.calls, settledBefore: settled() }
  queuePhase.value = next(
    untracked(() => queuePhase.value),
    state,
    backlog,
  )
})

function next(phase: QueuePhase, state: Connection['state'], backlog: Backlog): QueuePhase {
  const isHeld = state === 'offline' || phase.name === 'held' || backlog.of > 0
  if (state !== 'online') return isHeld ? { name: 'held', ...backlog } : phase
  if (phase.name === 'flowing' || phase.name === 'drained') return phase
  if (phase.of === 0) return { name: 'flowing' }
  return { ...phase, name: drained(phase) === phase.of ? 'drained' : 'draining' }
}
