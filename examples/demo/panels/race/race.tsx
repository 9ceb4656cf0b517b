import { failure, isRacing, race } from '../../state/race.ts'
import { Problem } from '../../ui/controls.tsx'
import { Empty, Panel } from '../../ui/panel.tsx'
import { Bars } from './bars.tsx'
import { RaceControls } from './controls.tsx'
import { Notes } from './notes.tsx'
import { RaceStatus } from './status.tsx'
import { Sweep } from './sweep.tsx'
import { View } from './view.tsx'

/** Runs the report's experiment in this browser. The first race starts a worker for it. */
export function RacePanel() {
  return (
    <Panel
      id="race"
      title="Race"
      lead="The published report’s experiment in this browser: one signature per annotation, per call, or per batch."
    >
      <RaceControls />
      <RaceStatus />
      {failure.value && <Problem code={failure.value.code} message={failure.value.message} />}
      <Results />
      <Notes />
    </Panel>
  )
}

function Results() {
  const cells = race.value?.cells ?? []
  const [only] = cells
  if (!only) return <NoResults />
  return (
    <div class="race-results">
      <View />
      {cells.length === 1 ? <Bars cell={only} /> : <Sweep cells={cells} />}
    </div>
  )
}

function NoResults() {
  if (isRacing.value) return <Empty title="Getting ready">The contestants are loaded and checked.</Empty>
  return (
    <Empty title="Not run yet">
      Start the race: eight ways of annotating the same payloads take turns on your machine, for a few
      seconds.
    </Empty>
  )
}
