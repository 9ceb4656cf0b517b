import {
  type BundleGraph,
  nameOf,
  type PayloadName,
  type Score,
  type ScoringPolicy,
  scorePayload,
} from 'alvarium-sdk/score'
import { useMemo } from 'preact/hooks'
import { Heads } from '../demo/panels/lineage/frame.tsx'
import { BOX, fitting } from '../demo/panels/lineage/geometry.ts'
import { layoutOf } from '../demo/panels/lineage/layout.ts'
import { counted, short } from '../demo/ui/text.ts'
import { percent } from './percent.ts'

/** Maximum number of boxes. Only the nearest payloads are drawn. */
const MOST = 24
const PAD = 10

interface Props {
  readonly payload: PayloadName
  readonly fabric: BundleGraph
  readonly policy: ScoringPolicy
  /** Score of the payload, including its sources if the pack is about this payload. */
  readonly score: Score
  /** Available width in pixels. */
  readonly room: number
}

export function Lineage({ payload, fabric, policy, score, room }: Props) {
  const { nodes, edges, geometry } = useMemo(() => drawn(payload, fabric, room), [payload, fabric, room])
  if (nodes.length < 2) return <p class="quiet">No message says what it was made from.</p>
  return (
    <div class="lineage-graph">
      <svg
        role="img"
        aria-label={`A payload and ${counted(nodes.length - 1, 'payload')} that it was made from`}
        width={geometry.width}
        height={geometry.height}
      >
        <Heads />
        {edges.map((edge) => (
          <path
            key={`${edge.from} ${edge.to}`}
            class="edge"
            d={geometry.lineOf(edge)}
            marker-end="url(#head)"
          />
        ))}
        {nodes.map((node) => {
          const { x, y } = geometry.boxes.get(nameOf(node)) ?? { x: 0, y: 0 }
          const bundles = node.statements.reduce((sum, { count = 1 }) => sum + count, 0)
          return (
            <g
              key={nameOf(node)}
              class={`node ${bundles > 0 ? '' : 'unheard'}`}
              transform={`translate(${x} ${y})`}
            >
              <rect class="box" width={BOX.width} height={BOX.height} rx="6" />
              <text class="node-key" x={PAD} y="24">
                {short(node.key, 6)}
              </text>
              <text class="node-actions" x={PAD} y="44">
                {bundles > 0 ? counted(bundles, 'bundle') : 'nothing was said'}
              </text>
              {bundles > 0 && (
                <text class="node-score" x={PAD} y="62">
                  {percent(node === nodes[0] ? score : scorePayload({ payload: node }, policy).why.own)}
                </text>
              )}
            </g>
          )
        })}
      </svg>
    </div>
  )
}

function drawn(payload: PayloadName, fabric: BundleGraph, room: number) {
  const { payload: self, ancestors = [] } = fabric.scoringInput(payload, { limit: MOST - 1 })
  const nodes = [self, ...ancestors]
  const names = new Set(nodes.map(nameOf))
  const edges = nodes.flatMap((node) =>
    fabric.madeFrom(node).map((previous) => ({ from: nameOf(previous), to: nameOf(node) })),
  )
  const within = edges.filter(({ from, to }) => names.has(from) && names.has(to))
  const layout = layoutOf([...names].reverse(), within)
  return { nodes, edges: within, geometry: fitting(layout, room) }
}
