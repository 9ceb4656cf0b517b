import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { fitting, type Geometry } from './geometry.ts'
import type { Edge } from './graph.ts'
import { layoutOf } from './layout.ts'

interface Props {
  /** Names of the boxes, newest last. */
  readonly names: readonly string[]
  readonly edges: readonly Edge[]
  /** Names in the highlighted chain; empty if no chain is highlighted. */
  readonly lit?: ReadonlySet<string>
  readonly children: (boxes: Geometry['boxes']) => ComponentChildren
}

const NONE: ReadonlySet<string> = new Set()

/** Draws a graph of payloads with its lines. Newer chains are above older ones. */
export function Frame({ names, edges, lit = NONE, children }: Props) {
  const box = useRef<HTMLDivElement>(null)
  const room = useRoom(box)
  const geometry = useMemo(() => fitting(layoutOf([...names].reverse(), edges), room), [names, edges, room])
  return (
    <div class="lineage-graph" ref={box}>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be drawn in */}
      <svg
        role="group"
        aria-label="Payloads, with lines from each to what was made from it"
        class={lit.size > 1 ? 'has-lit' : ''}
        width={geometry.width}
        height={geometry.height}
      >
        <Heads />
        {edges.map((edge) => {
          const isLit = lit.has(edge.from) && lit.has(edge.to)
          return (
            <path
              key={`${edge.from} ${edge.to}`}
              class={`edge ${isLit ? 'lit' : ''}`}
              d={geometry.lineOf(edge)}
              marker-end={`url(#head${isLit ? '-lit' : ''})`}
            />
          )
        })}
        {children(geometry.boxes)}
      </svg>
    </div>
  )
}

/** Draws the arrow heads. There are two, because markers do not take their line's colour in every browser. */
export function Heads() {
  return (
    <defs>
      {['', '-lit'].map((suffix) => (
        <marker
          key={suffix}
          id={`head${suffix}`}
          class={`head${suffix}`}
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
      ))}
    </defs>
  )
}

/** Returns the available width in pixels. */
export function useRoom(box: { readonly current: HTMLDivElement | null }): number {
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
