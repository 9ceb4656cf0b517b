import { payloadNameOf } from '../../state/payloads.ts'
import { percent } from '../../state/scores.ts'
import { short } from '../../ui/text.ts'
import type { ChainsProps } from './drawing.tsx'
import { actionsIn, answersIn, nameOfNode, scoreIn, sourcesIn } from './words.ts'

/** Shows the unconnected payloads, and then the chains, as text, each with the newest first. */
export function Listing({ graph, lit, picked, onPick, onLook }: ChainsProps) {
  return (
    <ul class="lineage-list">
      {graph.nodes.toReversed().map((node) => {
        const { yes, no } = answersIn(node)
        const score = scoreIn(node)
        const sources = sourcesIn(node)
        return (
          <li key={node.name} class={lit.has(node.name) ? 'lit' : ''}>
            <button
              type="button"
              class="button quiet"
              aria-pressed={node.name === picked}
              disabled={node.at === undefined}
              title={node.key}
              onClick={() => onPick(node)}
              onFocus={() => onLook(node.name)}
              onBlur={() => onLook(undefined)}
            >
              {nameOfNode(node)}
            </button>
            <code class="quiet">{short(node.key, 6)}</code>
            <span>{actionsIn(node)}</span>
            {sources.length > 0 && (
              <span class="quiet">
                made from {sources.map((key) => payloadNameOf(key) ?? short(key, 6)).join(', ')}
              </span>
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
