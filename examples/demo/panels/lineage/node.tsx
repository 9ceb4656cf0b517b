import { percent } from '../../state/scores.ts'
import { short } from '../../ui/text.ts'
import { Box } from './box.tsx'
import { BOX, type Point } from './geometry.ts'
import type { PayloadNode } from './graph.ts'
import { actionsIn, answersIn, nameOfNode, scoreIn, sentenceOf } from './words.ts'

interface Props {
  readonly node: PayloadNode
  readonly place: Point | undefined
  readonly isLit: boolean
  readonly isPicked: boolean
  readonly onPick: (node: PayloadNode) => void
  readonly onLook: (name: string | undefined) => void
}

const PAD = 10
const INNER = BOX.width - 2 * PAD

/** Draws a payload: its name and key, its actions, its answers and its score. */
export function Node({ node, place, isLit, isPicked, onPick, onLook }: Props) {
  const isUnheard = node.at === undefined
  return (
    <Box
      place={place}
      looks={[isLit && 'lit', isUnheard && 'unheard'].filter(Boolean).join(' ')}
      label={sentenceOf(node)}
      isPicked={isPicked}
      isDisabled={isUnheard}
      onPick={() => onPick(node)}
      onLook={(isLookedAt) => onLook(isLookedAt ? node.name : undefined)}
    >
      <text class="node-name" x={PAD} y="18">
        {shorten(nameOfNode(node), MAX_NAME)}
      </text>
      <text class="node-key" x={PAD} y="33">
        {short(node.key, 6)}
      </text>
      <text class="node-actions" x={PAD} y="48">
        {shorten(actionsIn(node), MAX_ACTIONS)}
      </text>
      <Figures node={node} />
    </Box>
  )
}

function Figures({ node }: { readonly node: PayloadNode }) {
  const { yes, no } = answersIn(node)
  const score = scoreIn(node)
  if (score === undefined) return null
  return (
    <>
      <text class="node-answers" x={PAD} y="63">
        <tspan class="yes">✓ {yes}</tspan> {no > 0 && <tspan class="no">✗ {no}</tspan>}
      </text>
      <text class="node-score" x={BOX.width - PAD} y="63" text-anchor="end">
        {percent(score)}
      </text>
      <rect class="track" x={PAD} y="69" width={INNER} height="4" rx="2" />
      <rect class="filled" x={PAD} y="69" width={INNER * score} height="4" rx="2" />
    </>
  )
}

/** Maximum number of characters of a name in a box. Names are bold, and therefore wider than actions. */
const MAX_NAME = 22
const MAX_ACTIONS = 26

function shorten(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text
}
