import type { ComponentChildren } from 'preact'
import type { Timing } from '../../protocol.ts'
import { count, micros, size } from '../../ui/text.ts'

interface Props {
  readonly name: string
  readonly note?: string
  readonly bytes?: number
  readonly timing?: Timing
  readonly children: ComponentChildren
}

export function Step({ name, note, bytes, timing, children }: Props) {
  return (
    <li class="step">
      <div class="step-head">
        <h3>{name}</h3>
        {note && <span class="quiet step-note">{note}</span>}
        <span class="step-figures numbers">
          {bytes !== undefined && <span>{size(bytes)}</span>}
          {timing && (
            <span title={`Measured on its own: ${count(timing.runs)} runs`}>{micros(timing.micros)}</span>
          )}
        </span>
      </div>
      {children}
    </li>
  )
}
