/** State of the calls that wait for the stream. Without a connection, calls are queued, up to a limit. */
import { effect, signal, untracked } from '@preact/signals'
import type { Connection } from '../protocol.ts'
import { makerConnection, waiting } from './making.ts'

/** Number of calls that were queued, and the number of calls sent before the first of them. */
export interface Backlog {
  readonly of: number
  readonly settledBefore: number
}

/**
 * State of the queue. `flowing`: no call waited recently. `held`: calls wait without a connection.
 * `draining`: they are being sent. `drained`: all of them were accepted.
 */
export type QueuePhase =
  | { readonly name: 'flowing' }
  | ({ readonly name: 'held' | 'draining' | 'drained' } & Backlog)

export const queuePhase = signal<QueuePhase>({ name: 'flowing' })

/** Returns the number of calls that have waited and were then sent, counted since the page was opened. */
const settled = () => waiting.value.out

/** Returns the number of queued calls that have been sent. */
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
