import { useMemo } from 'preact/hooks'
import { Frame } from './frame.tsx'
import type { Graph, PayloadNode } from './graph.ts'
import { Node } from './node.tsx'

export interface ChainsProps {
  readonly graph: Graph
  /** Names in the highlighted chain; empty if no chain is highlighted. */
  readonly lit: ReadonlySet<string>
  readonly picked: string | undefined
  readonly onPick: (node: PayloadNode) => void
  readonly onLook: (name: string | undefined) => void
}

export function Drawing({ graph: { nodes, edges }, lit, picked, onPick, onLook }: ChainsProps) {
  const names = useMemo(() => nodes.map(({ name }) => name), [nodes])
  return (
    <Frame names={names} edges={edges} lit={lit}>
      {(boxes) =>
        nodes.map((node) => (
          <Node
            key={node.name}
            node={node}
            place={boxes.get(node.name)}
            isLit={lit.has(node.name)}
            isPicked={node.name === picked}
            onPick={onPick}
            onLook={onLook}
          />
        ))
      }
    </Frame>
  )
}
