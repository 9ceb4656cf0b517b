import { isHoodOpen } from '../../state/hood.ts'
import { FlowPanel } from '../flow/flow.tsx'
import { QueuePanel } from '../queue/queue.tsx'
import { RacePanel } from '../race/race.tsx'

/**
 * Shows the technical panels: one call byte by byte, the queue, and the race. Collapsed, so that the page begins with
 * its purpose.
 */
export function UnderTheHood() {
  return (
    <details
      class="hood"
      id="hood"
      open={isHoodOpen.value}
      onToggle={({ currentTarget }) => {
        isHoodOpen.value = currentTarget.open
      }}
    >
      <summary>
        <h2>Under the hood</h2>
        <span class="quiet">One call byte by byte, what waits while the network is away, and a race.</span>
      </summary>
      <div class="hood-panels">
        <FlowPanel />
        <QueuePanel />
        <RacePanel />
      </div>
    </details>
  )
}
