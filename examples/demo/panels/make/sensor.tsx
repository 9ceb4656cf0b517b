import { signal } from '@preact/signals'
import type { Live } from '../../protocol.ts'
import { isLive, made, startLive, stopLive } from '../../state/making.ts'
import { start } from '../../state/start.ts'
import { Button, Choice } from '../../ui/controls.tsx'
import { count } from '../../ui/text.ts'

const RATES = [
  { value: '1', text: '1/s' },
  { value: '10', text: '10/s' },
  { value: '100', text: '100/s' },
  { value: '1000', text: '1,000/s' },
  { value: 'full', text: 'Full speed' },
] as const

type Rate = (typeof RATES)[number]['value']

const rate = signal<Rate>('1')

/** Controls a sensor that takes its readings from a real data set. */
export function SensorSource() {
  return (
    <div class="sensor">
      <div class="sensor-row">
        <Choice label="Readings per second" options={RATES} value={rate.value} onChoose={setRate} />
        {isLive.value ? (
          <Button onClick={stopLive}>Stop sensor</Button>
        ) : (
          <Button
            kind="primary"
            isDisabled={!start.value.isReady}
            onClick={() => startLive(liveAt(rate.value))}
          >
            Start sensor
          </Button>
        )}
        <output class="sensor-rate">{count(made.value.perSecond)} signed/s</output>
      </div>
      <p class="quiet">
        Readings: daily weather in Seattle, 2012 to 2015, by the US National Oceanic and Atmospheric
        Administration, as packaged in vega-datasets. Fetched when you start the sensor.
      </p>
    </div>
  )
}

function setRate(chosen: Rate): void {
  rate.value = chosen
  if (isLive.value) startLive(liveAt(chosen))
}

function liveAt(chosen: Rate): Live {
  return { perSecond: chosen === 'full' ? 'full' : Number(chosen) }
}
