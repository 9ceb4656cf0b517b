import type { Race } from '../../race.ts'
import { isLive } from '../../state/making.ts'
import { isRacing, race } from '../../state/race.ts'

const TEXTS: Record<Race['phase'], string> = {
  preparing: 'Every contestant’s output is being verified, then all of them warm up.',
  running: 'The contestants take turns.',
  finished: 'Finished.',
  stopped: 'Stopped.',
}

/** Shows the progress of the race. Screen readers get only its phases; the rounds would be too many. */
export function RaceStatus() {
  const { value } = race
  if (!isRacing.value && !value) return null
  const { phase = 'preparing', progress = 0 } = value ?? {}
  return (
    <div class="race-status">
      {isRacing.value && (
        <progress class="race-progress" aria-label="Progress of the race" value={progress} />
      )}
      <p class="row small">
        <span role="status">{TEXTS[phase]}</span>
        {value && value.rounds > 0 && (
          <span class="quiet numbers">
            {value.rounds} of {value.settings.rounds} rounds
          </span>
        )}
      </p>
      {isLive.value && (
        <p class="absent">
          The sensor is on and takes its share of this machine: a race is fairer without it.
        </p>
      )}
    </div>
  )
}
