import type { Confidence, PayloadName } from 'alvarium-sdk/judge'
import { nameOf, percentOf } from 'alvarium-sdk/judge'
import { useMemo } from 'preact/hooks'
import { across, BOX, down } from '../demo/panels/lineage/geometry.ts'
import { layoutOf } from '../demo/panels/lineage/layout.ts'
import { short } from '../demo/ui/text.ts'

/** Boxes that are drawn: the nearest. */
const MOST = 24
const PAD = 10

interface Props {
  readonly payload: PayloadName
  readonly confidence: Confidence
  /** How wide it may be, in pixels. */
  readonly room: number
}

/** What a payload was made from, back to its sources. */
export function Lineage({ payload, confidence, room }: Props) {
  const { nodes, edges, geometry } = useMemo(
    () => drawn(payload, confidence, room),
    [payload, confidence, room],
  )
  if (nodes.length < 2) return <p class="quiet">No message says what it was made from.</p>
  return (
    <div class="lineage-graph">
      <svg
        role="img"
        aria-label={`A payload and ${nodes.length - 1} that it was made from`}
        width={geometry.width}
        height={geometry.height}
      >
        {edges.map((edge) => (
          <path key={`${edge.from} ${edge.to}`} class="edge" d={geometry.lineOf(edge)} />
        ))}
        {nodes.map((node) => {
          const { x, y } = geometry.boxes.get(nameOf(node)) ?? { x: 0, y: 0 }
          const isKnown = node.bundles > 0 || node.answers.size > 0
          return (
            <g
              key={nameOf(node)}
              class={`node ${isKnown ? '' : 'unheard'}`}
              transform={`translate(${x} ${y})`}
            >
              <rect class="box" width={BOX.width} height={BOX.height} rx="6" />
              <text class="node-key" x={PAD} y="24">
                {short(node.key, 6)}
              </text>
              <text class="node-actions" x={PAD} y="44">
                {isKnown
                  ? `${node.bundles} ${node.bundles === 1 ? 'bundle' : 'bundles'}`
                  : 'nothing was said'}
              </text>
              {isKnown && (
                <text class="node-score" x={PAD} y="62">
                  {Math.floor(percentOf(confidence.score(node)))} %
                </text>
              )}
            </g>
          )
        })}
      </svg>
    </div>
  )
}

function drawn(payload: PayloadName, confidence: Confidence, room: number) {
  const nodes = []
  for (const ancestor of confidence.lineage(payload)) {
    if (nodes.push(ancestor) === MOST) break
  }
  const names = new Set(nodes.map(nameOf))
  const edges = nodes.flatMap(({ hash, key, madeFrom }) =>
    Array.from(madeFrom.keys(), (from) => ({ from, to: nameOf({ hash, key }) })),
  )
  const within = edges.filter(({ from, to }) => names.has(from) && names.has(to))
  const layout = layoutOf([...names].reverse(), within)
  const wide = across(layout)
  return { nodes, edges: within, geometry: wide.width <= room ? wide : down(layout) }
}
