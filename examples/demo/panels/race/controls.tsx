import {
  chosen,
  downloadResult,
  hasResult,
  isRacing,
  startRace,
  startSweep,
  stopRace,
} from '../../state/race.ts'
import { Button, Choice } from '../../ui/controls.tsx'
import { unit } from './view.tsx'

const ANNOTATORS = [1, 3, 5, 10]
const PAYLOADS = { 100: '100 bytes', 1000: '1 kB', 20000: '20 kB', 80000: '80 kB' }
const ROUNDS = { 10: '10, quick', 30: '30', 100: '100' }

/** Controls the settings and the start. Settings changed during a race apply to the next one. */
export function RaceControls() {
  return (
    <div class="race-controls">
      <Setting name="annotators" label="Annotators" texts={textsOf(ANNOTATORS)} />
      <Setting name="payloadBytes" label="Payload" texts={PAYLOADS} />
      <Setting name="rounds" label="Rounds" texts={ROUNDS} />
      <div class="row">
        {isRacing.value ? (
          <Button onClick={stopRace}>Stop</Button>
        ) : (
          <Button kind="primary" onClick={startRace}>
            Start the race
          </Button>
        )}
        <Button
          isDisabled={isRacing.value}
          title="1, 3, 5, 7 and 10 annotators at 20 kB, and four sizes at 5 annotators"
          onClick={sweep}
        >
          Run the report’s table
        </Button>
        {hasResult.value && (
          <Button kind="quiet" title="Settings, medians and every sample" onClick={downloadResult}>
            Download result (JSON)
          </Button>
        )}
      </div>
    </div>
  )
}

/** Runs the report's experiments. Shows times per call, as the report does. */
function sweep(): Promise<void> {
  unit.value = 'micros'
  return startSweep()
}

interface SettingProps {
  readonly name: keyof typeof chosen.value
  readonly label: string
  /** Text of each choice, by the setting's value. */
  readonly texts: Readonly<Record<number, string>>
}

function Setting({ name, label, texts }: SettingProps) {
  return (
    <div class="race-setting">
      <span class="quiet small" aria-hidden="true">
        {label}
      </span>
      <Choice
        label={label}
        options={Object.entries(texts).map(([value, text]) => ({ value, text }))}
        value={String(chosen.value[name])}
        onChoose={(value) => {
          chosen.value = { ...chosen.value, [name]: Number(value) }
        }}
      />
    </div>
  )
}

function textsOf(numbers: readonly number[]): Record<number, string> {
  return Object.fromEntries(numbers.map((number) => [number, String(number)]))
}
