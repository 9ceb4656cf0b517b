import { useMemo, useRef } from 'preact/hooks'
import { Box } from '../../demo/panels/lineage/box.tsx'
import { Heads, useRoom } from '../../demo/panels/lineage/frame.tsx'
import type { Point } from '../../demo/panels/lineage/geometry.ts'
import { BoundChoice } from '../../demo/ui/controls.tsx'
import { Empty, Panel } from '../../demo/ui/panel.tsx'
import { count, counted, short } from '../../demo/ui/text.ts'
import type { Lineage } from '../api.ts'
import { direction, lineage, pick, picked } from '../state.ts'
import { arrowOf, layersOf } from './layers.ts'

const WAYS = [
  { value: 'up', text: 'Made from' },
  { value: 'down', text: 'Made into' },
] as const

export function LineagePanel() {
  const { value } = lineage
  return (
    <Panel
      id="lineage"
      title="Lineage"
      lead="What the payload was made from; or what was made from it (for a recall)."
      aside={<BoundChoice label="Which way" options={WAYS} chosen={direction} />}
    >
      {value && value.payloads.length > 1 ? (
        <>
          <Drawing lineage={value} />
          <p class="quiet small">
            {counted(value.payloads.length - 1, 'payload')}, the nearest first. Arrows lead from a source to
            what was made from it. {value.isWhole ? '' : 'More are not drawn. '}Pick one to see what was said
            about it.
          </p>
        </>
      ) : (
        <Empty
          title={
            !value
              ? 'Not known yet'
              : direction.value === 'up'
                ? 'Its own source'
                : 'Nothing was made from it'
          }
        >
          {value && 'No signer says otherwise here.'}
        </Empty>
      )}
    </Panel>
  )
}

function Drawing({ lineage: { payloads } }: { readonly lineage: Lineage }) {
  const frame = useRef<HTMLDivElement>(null)
  const room = useRoom(frame)
  const depths = payloads.map(({ depth }) => depth)
  const { width, height, boxes } = useMemo(() => layersOf(depths, room), [payloads, room])
  return (
    <div class="lineage-graph" ref={frame}>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be drawn in */}
      <svg
        role="group"
        aria-label="Payloads, with arrows from each to what was made from it"
        width={width}
        height={height}
      >
        <Heads />
        <Arrows payloads={payloads} boxes={boxes} />
        {payloads.map((payload, at) => (
          <Node key={`${payload.hash} ${payload.key}`} payload={payload} place={boxes[at]} />
        ))}
      </svg>
    </div>
  )
}

interface ArrowsProps {
  readonly payloads: Lineage['payloads']
  readonly boxes: readonly Point[]
}

/** Draws an arrow to each payload from its sources. `madeFrom` contains the indexes of the sources. */
function Arrows({ payloads, boxes }: ArrowsProps) {
  return payloads.flatMap(({ madeFrom }, at) =>
    madeFrom.flatMap((from) => {
      const [source, made] = [boxes[from], boxes[at]]
      if (!source || !made) return []
      return [<path key={`${from} ${at}`} class="edge" d={arrowOf(source, made)} marker-end="url(#head)" />]
    }),
  )
}

interface NodeProps {
  readonly payload: Lineage['payloads'][number]
  readonly place: Point | undefined
}

function Node({ payload, place }: NodeProps) {
  const isPicked = payload.key === picked.value?.key && payload.hash === picked.value.hash
  const { depth } = payload
  const steps = depth === 0 ? 'this payload' : `${count(depth)} ${depth === 1 ? 'step' : 'steps'} away`
  return (
    <Box
      place={place}
      looks={isPicked ? 'lit' : ''}
      label={`Payload ${short(payload.key, 6)}, ${steps}`}
      isPicked={isPicked}
      onPick={() => pick(payload)}
    >
      <text class="node-key" x="10" y="28">
        {short(payload.key, 6)}
      </text>
      <text class="node-actions" x="10" y="52">
        {steps}
      </text>
    </Box>
  )
}
