import { signal } from '@preact/signals'
import { BoundChoice } from '../../ui/controls.tsx'
import { count, micros } from '../../ui/text.ts'

export type Unit = 'rate' | 'micros'
export type Scale = 'linear' | 'log'

export const unit = signal<Unit>('rate')
export const scale = signal<Scale>('linear')

export function View() {
  return (
    <div class="row">
      <BoundChoice
        label="Unit"
        options={[
          { value: 'rate', text: 'calls per second' },
          { value: 'micros', text: 'time per call' },
        ]}
        chosen={unit}
      />
      <BoundChoice
        label="Scale"
        options={[
          { value: 'linear', text: 'linear' },
          { value: 'log', text: 'logarithmic' },
        ]}
        chosen={scale}
      />
    </div>
  )
}

export function inUnit(microsPerCall: number): number {
  return unit.value === 'rate' ? 1e6 / microsPerCall : microsPerCall
}

/** Formats a time per call as {@link unitText} does, but a rate without `/s`: its heading names the unit. */
export function spreadText(microsPerCall: number): string {
  return unit.value === 'rate' ? count(1e6 / microsPerCall) : micros(microsPerCall)
}

/** Formats a time per call with its unit, for example `12,345/s` or `81.0 µs`. */
export function unitText(microsPerCall: number): string {
  return unit.value === 'rate' ? `${count(1e6 / microsPerCall)}/s` : micros(microsPerCall)
}
