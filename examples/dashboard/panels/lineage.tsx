import { useSignal } from '@preact/signals'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { across, BOX, down, type Geometry } from '../../demo/panels/lineage/geometry.ts'
import { layoutOf } from '../../demo/panels/lineage/layout.ts'
import { BoundChoice } from '../../demo/ui/controls.tsx'
import { Empty, Panel } from '../../demo/ui/panel.tsx'
import { count, short } from '../../demo/ui/text.ts'
import type { Lineage } from '../api.ts'
import { direction, lineage, pick, picked } from '../state.ts'

const WAYS = [
  { value: 'up', text: 'Made from' },
  { value: 'down', text: 'Made into' },
] as const

/** What a payload was made from, and what was made from it. */
export function LineagePanel() {
  const { value } = lineage
  return (
    <Panel
      id="lineage"
      title="Lineage"
      lead="What the payload was made from; or what was made from it, which is what a recall concerns."
      aside={<BoundChoice label="Which way" options={WAYS} chosen={direction} />}
    >
      {value && value.payloads.length > 1 ? (
        <>
          <Drawing lineage={value} />
          <p class="quiet small">
            {count(value.payloads.length - 1)} payloads, the nearest first.{' '}
            {value.isWhole ? '' : 'More are not drawn. '}Pick one to see what was said about it.
          </p>
        </>
      ) : (
        <Empty title={direction.value === 'up' ? 'Its own source' : 'Nothing was made from it'}>
          No signer says otherwise here.
        </Empty>
      )}
    </Panel>
  )
}

function Drawing({ lineage: { payloads } }: { readonly lineage: Lineage }) {
  const box = useRef<HTMLDivElement>(null)
  const room = useRoom(box)
  const edges = useMemo(
    () => payloads.flatMap(({ madeFrom }, at) => madeFrom.map((from) => ({ from: `${from}`, to: `${at}` }))),
    [payloads],
  )
  const geometry = useMemo(() => fitting(payloads.length, edges, room), [payloads, edges, room])
  return (
    <div class="lineage-graph" ref={box}>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be drawn in */}
      <svg
        role="group"
        aria-label="Payloads, with lines from each to what was made from it"
        width={geometry.width}
        height={geometry.height}
      >
        <defs>
          <marker
            id="head"
            class="head"
            viewBox="0 0 8 8"
            refX="1"
            refY="4"
            markerWidth="8"
            markerHeight="8"
            markerUnits="userSpaceOnUse"
            orient="auto"
          >
            <path d="M0 0L8 4L0 8z" />
          </marker>
        </defs>
        {edges.map((edge) => (
          <path
            key={`${edge.from} ${edge.to}`}
            class="edge"
            d={geometry.lineOf(edge)}
            marker-end="url(#head)"
          />
        ))}
        {payloads.map((payload, at) => (
          <Node
            key={`${payload.hash} ${payload.key}`}
            payload={payload}
            place={geometry.boxes.get(`${at}`)}
          />
        ))}
      </svg>
    </div>
  )
}

interface NodeProps {
  readonly payload: Lineage['payloads'][number]
  readonly place: { readonly x: number; readonly y: number } | undefined
}

function Node({ payload, place = { x: 0, y: 0 } }: NodeProps) {
  const isPicked = payload.key === picked.value?.key
  const { depth } = payload
  const steps = depth === 0 ? 'this payload' : `${count(depth)} ${depth === 1 ? 'mutate' : 'mutates'} away`
  return (
    <g class={`node ${isPicked ? 'picked lit' : ''}`} transform={`translate(${place.x} ${place.y})`}>
      {/* biome-ignore lint/a11y/noAriaHiddenOnFocusable: a group of SVG without a tabindex takes no focus */}
      <g aria-hidden="true">
        <rect class="box" width={BOX.width} height={BOX.height} rx="6" />
        <text class="node-key" x="10" y="28">
          {short(payload.key, 6)}
        </text>
        <text class="node-actions" x="10" y="52">
          {steps}
        </text>
      </g>
      {/* biome-ignore lint/a11y/useSemanticElements: SVG has no button */}
      <rect
        class="hit"
        width={BOX.width}
        height={BOX.height}
        rx="6"
        role="button"
        tabindex={0}
        aria-label={`Payload ${short(payload.key, 6)}, ${steps}`}
        aria-pressed={isPicked}
        onClick={() => pick(payload)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' && event.key !== ' ') return
          event.preventDefault()
          pick(payload)
        }}
      />
    </g>
  )
}

/** Beside each other where all of it is in sight, else one below the other. */
function fitting(payloads: number, edges: Parameters<typeof layoutOf>[1], room: number): Geometry {
  const layout = layoutOf(Array.from({ length: payloads }, (_, at) => `${at}`).reverse(), edges)
  const wide = across(layout)
  return wide.width <= room ? wide : down(layout)
}

/** How wide it may be, in pixels. */
function useRoom(box: { readonly current: HTMLDivElement | null }): number {
  const room = useSignal(Number.POSITIVE_INFINITY)
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => {
      room.value = entry?.contentRect.width ?? room.value
    })
    if (box.current) observer.observe(box.current)
    return () => observer.disconnect()
  }, [box, room])
  return room.value
}
