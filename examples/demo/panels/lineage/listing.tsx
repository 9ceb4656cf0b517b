import { percent } from '../../state/scores.ts'
import { short } from '../../ui/text.ts'
import type { ChainsProps } from './drawing.tsx'
import { actionsIn, answersIn, scoreIn } from './words.ts'

/** The chains in words, newest payload first. */
export function Listing({ graph, lit, pickedKey, onPick, onLook }: ChainsProps) {
  return (
    <ul class="lineage-list">
      {graph.nodes.toReversed().map((node) => {
        const { yes, no } = answersIn(node)
        const score = scoreIn(node)
        const sources = graph.edges.filter(({ to }) => to === node.key)
        return (
          <li key={node.key} class={lit.has(node.key) ? 'lit' : ''}>
            <button
              type="button"
              class="button quiet"
              aria-pressed={node.key === pickedKey}
              disabled={node.at === undefined}
              title={node.key}
              onClick={() => onPick(node)}
              onFocus={() => onLook(node.key)}
              onBlur={() => onLook(undefined)}
            >
              <code>{short(node.key)}</code>
            </button>
            <span>{actionsIn(node)}</span>
            {sources.length > 0 && (
              <span class="quiet">made from {sources.map(({ from }) => short(from)).join(', ')}</span>
            )}
            <span class="numbers listing-score">
              {score === undefined ? 'no score' : `${yes} of ${yes + no} satisfied, ${percent(score)}`}
            </span>
          </li>
        )
      })}
    </ul>
  )
}
