import type { ComponentChildren } from 'preact'
import type { Hop, StationName } from '../../protocol.ts'
import { hops, isGenuine, lie, noticed, reached, readingOf, received, YOU } from '../../state/journey.ts'
import { Answer } from '../../ui/controls.tsx'
import { stepOf } from '../verify/checking.ts'

const STATIONS: readonly { readonly name: StationName; readonly title: string; readonly does: string }[] = [
  { name: 'sensor', title: 'Sensor', does: 'measures' },
  { name: 'gateway', title: 'Gateway', does: 'passes on' },
  { name: 'service', title: 'Service', does: 'judges' },
]
const SERVICE = 2

/** Shows the sensor, the gateway, the service and the visitor, and the position of the reading. */
export function Way() {
  const isRed = lie.value !== undefined
  return (
    <ol class={`way ${isRed ? 'altered' : ''}`} style={{ '--at': reached.value }}>
      {STATIONS.map(({ name, title, does }, n) => (
        <Stop key={name} title={title} at={n}>
          {n >= SERVICE && isRed ? (
            <Refusal verb="refuses it" />
          ) : (
            <Signed hop={hops.value[n]} does={does} at={n} />
          )}
        </Stop>
      ))}
      <Stop title="You" at={YOU}>
        {isRed ? <Refusal verb="do not act on it" /> : <Trusted />}
      </Stop>
      <Parcel />
    </ol>
  )
}

interface StopProps {
  readonly title: string
  readonly at: number
  readonly children: ComponentChildren
}

function Stop({ title, at, children }: StopProps) {
  const isRefusing = lie.value !== undefined && at >= SERVICE
  const state = isRefusing ? 'refusing' : reached.value >= at ? 'passed' : 'waiting'
  return (
    <li class={`stop ${state}`}>
      <span class="knot" aria-hidden="true">
        {isRefusing ? '✗' : ''}
      </span>
      <h2>{title}</h2>
      <div class="stop-says">{children}</div>
    </li>
  )
}

/** Shows a station's message after the reading has passed. Its space is reserved. */
function Signed({
  hop,
  does,
  at,
}: {
  readonly hop: Hop | undefined
  readonly does: string
  readonly at: number
}) {
  return (
    <>
      <p class="quiet small">{does}, and signs</p>
      <p class="stop-answers">
        {hop?.bundle.annotations.map(({ id, kind, isSatisfied }) => (
          <span key={id} class={reached.value >= at ? 'here' : 'to-come'}>
            <Answer kind={kind} isSatisfied={isSatisfied} />
          </span>
        ))}
      </p>
    </>
  )
}

/** Shows the verdict on the three messages, which were verified when they were sent, see `state/journey.ts`. */
function Trusted() {
  const [look, sign, words] = isGenuine.value ? ['yes', '✓', 'all genuine'] : ['no', '✗', 'not genuine']
  return (
    <>
      <p class="quiet small">check every signature</p>
      <p class={`stop-answers ${reached.value >= YOU ? 'here' : 'to-come'}`}>
        <span class={`answer ${look}`}>
          <span aria-hidden="true">{sign}</span> {words}
        </span>
      </p>
    </>
  )
}

function Refusal({ verb }: { readonly verb: string }) {
  const { name = 'Not checked' } = stepOf(noticed.value?.code) ?? {}
  return (
    <>
      <p class="small">{verb}</p>
      <p class="stop-answers">
        <span class="answer no">
          <span aria-hidden="true">✗</span> {name}
        </span>
      </p>
    </>
  )
}

/** Shows the reading as it arrives, altered or not. */
function Parcel() {
  const { value } = received
  if (!value) return null
  const { celsius } = readingOf(value.payload)
  return (
    <li class="parcel" aria-hidden="true">
      {celsius.toFixed(1)} °C
    </li>
  )
}
