import { useSignal } from '@preact/signals'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { across, BOX, down, type Geometry } from './geometry.ts'
import type { Graph, PayloadNode } from './graph.ts'
import { layoutOf } from './layout.ts'
import { Node } from './node.tsx'

export interface ChainsProps {
  readonly graph: Graph
  /** Keys of the chain that stands out; none: all are alike. */
  readonly lit: ReadonlySet<string>
  readonly pickedKey: string | undefined
  readonly onPick: (node: PayloadNode) => void
  readonly onLook: (key: string | undefined) => void
}

/** With room for fewer than three boxes beside each other, they go below each other. */
const NARROW = 3 * BOX.width

/** The chains as a graph. Newer chains are above older ones. */
export function Drawing({ graph, lit, pickedKey, onPick, onLook }: ChainsProps) {
  const { nodes, edges } = graph
  const box = useRef<HTMLDivElement>(null)
  const isNarrow = useIsNarrow(box)
  const geometry = useMemo(() => {
    const layout = layoutOf(nodes.map(({ key }) => key).reverse(), edges)
    return isNarrow ? down(layout) : across(layout)
  }, [nodes, edges, isNarrow])
  useNewest(box, geometry)
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
            key={node.key}
            node={node}
            edges={edges}
            place={geometry.boxes.get(node.key)}
            isLit={lit.has(node.key)}
            isPicked={node.key === pickedKey}
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

function useIsNarrow(box: { readonly current: HTMLDivElement | null }): boolean {
  const isNarrow = useSignal(false)
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => {
      isNarrow.value = (entry?.contentRect.width ?? NARROW) < NARROW
    })
    if (box.current) observer.observe(box.current)
    return () => observer.disconnect()
  }, [box, isNarrow])
  return isNarrow.value
}

/** Where a chain is longer than the panel is wide, its end is what has just happened. */
function useNewest(box: { readonly current: HTMLDivElement | null }, { width }: Geometry): void {
  useEffect(() => {
    if (box.current) box.current.scrollLeft = width
  }, [box, width])
}
