import { useSignal } from '@preact/signals'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { across, down, type Geometry } from './geometry.ts'
import type { Graph, PayloadNode } from './graph.ts'
import { type Layout, layoutOf } from './layout.ts'
import { Node } from './node.tsx'

export interface ChainsProps {
  readonly graph: Graph
  /** Names in the chain that stands out; none: all are alike. */
  readonly lit: ReadonlySet<string>
  /** Its name. */
  readonly picked: string | undefined
  readonly onPick: (node: PayloadNode) => void
  readonly onLook: (name: string | undefined) => void
}

/** The chains as a graph. Newer chains are above older ones. */
export function Drawing({ graph, lit, picked, onPick, onLook }: ChainsProps) {
  const { nodes, edges } = graph
  const box = useRef<HTMLDivElement>(null)
  const room = useRoom(box)
  const geometry = useMemo(
    () => fitting(layoutOf(nodes.map(({ name }) => name).reverse(), edges), room),
    [nodes, edges, room],
  )
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
        {nodes.map((node) => (
          <Node
            key={node.name}
            node={node}
            place={geometry.boxes.get(node.name)}
            isLit={lit.has(node.name)}
            isPicked={node.name === picked}
            onPick={onPick}
            onLook={onLook}
          />
        ))}
      </svg>
    </div>
  )
}

/** Arrow heads: markers cannot take their line's colour everywhere, so there are two. */
function Heads() {
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

/** Beside each other where all of a chain is in sight, its source included; else one below the other. */
function fitting(layout: Layout, room: number): Geometry {
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
