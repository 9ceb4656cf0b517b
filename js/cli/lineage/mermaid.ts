import { OUTCOMES, type Outcome } from '../../model/outcome.js'
import type { Box, Line, Picture } from './picture.js'

/** Mermaid draws no text of more characters, and no more edges, unless its page is configured to: `maxTextSize`, `maxEdges`. */
const MAX_TEXT = 50_000
const MAX_ARROWS = 500

/** Lines of its colours, by outcome: they stand in a document that is light or dark. */
const CLASSES = {
  holds: 'fill:#e6f4ea,stroke:#1a7f37,color:#0b2912',
  'does not hold': 'fill:#fdeaea,stroke:#b3261e,color:#3b0a07',
  'cannot tell': 'fill:#fff4dd,stroke:#9a6700,color:#332200',
} as const satisfies Readonly<Record<Outcome, string>>

const CLASS_NAMES = { holds: 'holds', 'does not hold': 'fails', 'cannot tell': 'unknown' } as const

/**
 * Writes a picture for Mermaid.
 *
 * @returns the text, and how many boxes it has: Mermaid draws no longer text, so the farthest may be missing
 */
export function mermaidOf(picture: Picture): { readonly text: string; readonly drawn: number } {
  let drawn = picture.boxes.length
  for (;;) {
    const text = textOf(picture, drawn)
    if (drawn <= 1 || text !== undefined) return { text: text ?? '', drawn }
    drawn = Math.floor(drawn * 0.8)
  }
}

/** Returns nothing if Mermaid would not draw it. */
function textOf({ boxes, arrows }: Picture, drawn: number): string | undefined {
  const shown = boxes.slice(0, drawn)
  const ids = new Map(shown.map(({ name }, at) => [name, `p${at}`]))
  const edges = arrows.flatMap(({ from, to }) => {
    const [source, made] = [ids.get(from), ids.get(to)]
    return source && made ? [`  ${source} -->|made into| ${made}`] : []
  })
  const text = [
    'flowchart TB',
    ...shown.map((box) => `  ${ids.get(box.name)}["${labelOf(box)}"]:::${CLASS_NAMES[box.outcome]}`),
    ...edges,
    ...Object.entries(CLASSES).map(
      ([outcome, style]) => `  classDef ${CLASS_NAMES[outcome as Outcome]} ${style},text-align:left`,
    ),
    ...shown.filter(({ isAsked }) => isAsked).map(({ name }) => `  style ${ids.get(name)} stroke-width:3px`),
  ].join('\n')
  return text.length < MAX_TEXT && edges.length < MAX_ARROWS ? `${text}\n` : undefined
}

function labelOf({ lines }: Box): string {
  return lines.map(lineOf).join('<br/>')
}

function lineOf({ text, outcome, isBold }: Line): string {
  const label = `${outcome ? `${OUTCOMES[outcome].mark} ` : ''}${escapedLabel(text.trim())}`
  return isBold ? `<b>${label}</b>` : label
}

/** Letters, digits, spaces and what has no meaning to Mermaid, HTML or Markdown. */
const SPECIAL = /[^\p{L}\p{N} ,:.()✓✗…“”/+-]/gu

/** Character that nobody sees. It parts `$$` and `:fa-`, which Mermaid takes for formulas and icons after it has read the entities. */
const WORD_JOINER = '\u2060'

/** Returns text for a label: all else is written as Mermaid's entity, the code point in decimal (Mermaid, Flowcharts, Entity codes). */
export function escapedLabel(text: string): string {
  return text
    .replace(/\$(?=\$)|:(?=fa-)/g, `$&${WORD_JOINER}`)
    .replace(SPECIAL, (character) => `#${character.codePointAt(0)};`)
}
