import { cut, isCut, makerConnection, makingTrouble, waiting } from '../../state/making.ts'
import { hasBroker } from '../../state/place.ts'
import { drained, type QueuePhase, queuePhase } from '../../state/queue.ts'
import { MOST_WAITING } from '../../transport/transport.ts'
import { Panel } from '../../ui/panel.tsx'
import { count } from '../../ui/text.ts'
import { Figures } from './figures.tsx'

/** Shows calls that wait for the stream: their number, their age, and their progress. */
export function QueuePanel() {
  const phase = queuePhase.value
  return (
    <Panel id="queue" title="Queue" lead={lead(phase)} aside={<CutSwitch />}>
      <p class="hidden" role="status">
        {announcement(phase)}
      </p>
      {phase.name !== 'flowing' && <Backlog phase={phase} />}
      {isRefusing(phase) && <Refused calls={waiting.value.refused} />}
    </Panel>
  )
}

function CutSwitch() {
  return (
    <label class="switch" title="Simulated: messages are held back in this page, as if the network were gone">
      <input
        type="checkbox"
        checked={isCut.value}
        onChange={({ currentTarget }) => cut(currentTarget.checked)}
      />
      Cut the connection
    </label>
  )
}

function Backlog({ phase }: { readonly phase: Exclude<QueuePhase, { name: 'flowing' }> }) {
  const isHeld = phase.name === 'held'
  const [value, most] = isHeld ? [waiting.value.calls, MOST_WAITING] : [drained(phase), phase.of]
  const label = isHeld ? 'How full the queue is' : 'How much of what waited is out'
  return (
    <>
      <progress class={`fill ${phase.name}`} aria-label={label} value={value} max={most} />
      {isHeld && <Figures />}
    </>
  )
}

/** Returns whether calls are refused: after the queue was full, until all waiting calls have been sent. */
function isRefusing({ name }: QueuePhase): boolean {
  if (makingTrouble.value?.code === 'QUEUE_FULL') return true
  return waiting.value.refused > 0 && (name === 'held' || name === 'draining')
}

function Refused({ calls }: { readonly calls: number }) {
  return (
    <p class="absent">
      <strong>{calls === 1 ? '1 call was' : `${count(calls)} calls were`} refused</strong> with{' '}
      <code>QUEUE_FULL</code>: {count(MOST_WAITING)} were waiting already. Each of these calls rejected;
      nothing was dropped silently.
    </p>
  )
}

const other = hasBroker ? 'broker' : 'verifier'

function lead(phase: QueuePhase) {
  if (phase.name === 'held') {
    const { reason } = makerConnection.value
    return (
      <>
        <strong>{isCut.value ? 'The connection is cut.' : 'The broker is not reachable.'}</strong> Go on
        signing: calls wait here and go out when it is back. {lasting()}
        {!isCut.value && reason && <span class="queue-reason"> {reason.message}</span>}
      </>
    )
  }
  if (phase.name === 'draining') {
    return `Connected again: ${count(drained(phase))} of ${count(phase.of)} calls that waited are out.`
  }
  if (phase.name === 'drained') return `${allOut(phase)} Nothing waits now.`
  return `Messages go to the ${other} as they are made. Were it away, calls would wait here.`
}

function lasting(): string {
  return waiting.value.isKept
    ? 'This browser keeps them: reload the page, and none is lost.'
    : 'They last as long as this page: another tab, or a setting, keeps it from storing them.'
}

/** Returns a text for screen readers, which changes only with the phase, because every number would be too much. */
function announcement(phase: QueuePhase): string {
  if (phase.name === 'held') return 'No connection. Calls wait in the queue.'
  if (phase.name === 'draining') return 'Connected again. The calls that waited go out.'
  return phase.name === 'drained' ? allOut(phase) : ''
}

function allOut({ of }: { readonly of: number }): string {
  return of === 1 ? 'The call that waited is out.' : `All ${count(of)} calls that waited are out.`
}
