import { OUTCOMES, type Outcome } from '../../foundation/model/outcome.js'
import type { Box, Line, Picture } from './picture.js'

/** Default limits of Mermaid: `maxTextSize` in characters, and `maxEdges`. */
const MAX_TEXT = 50_000
const MAX_ARROWS = 500

/** Style declarations of Mermaid by outcome. The colours are readable on light and dark pages. */
const CLASSES = {
  holds: 'fill:#e6f4ea,stroke:#1a7f37,color:#0b2912',
  'does not hold': 'fill:#fdeaea,stroke:#b3261e,color:#3b0a07',
  'cannot tell': 'fill:#fff4dd,stroke:#9a6700,color:#332200',
} as const satisfies Readonly<Record<Outcome, string>>

const CLASS_NAMES = { holds: 'holds', 'does not hold': 'fails', 'cannot tell': 'unknown' } as const

/**
 * Returns a picture as Mermaid text.
 *
 * @returns the text and the number of boxes in it; the farthest boxes are omitted if Mermaid would refuse the
 * length or the number of arrows
 */
export function mermaidOf(picture: Picture): { readonly text: string; readonly drawn: number } {
  let drawn = picture.boxes.length
  for (;;) {
    const text = textOf(picture, drawn)
    if (drawn <= 1 || text !== undefined) return { text: text ?? '', drawn }
    drawn = Math.floor(drawn * 0.8)
  }
}

function textOf({ boxes, arrows }: Picture, drawn: number): string | undefined {
  const shown = boxes.slice(0, drawn)
  const ids = new Map(shown.map(({ name }, at) => [name, `p${at}`]))
  const edges = arrows.flatMap(({ from, to }) => {
    const [source, target] = [ids.get(from), ids.get(to)]
    return source && target ? [`  ${source} -->|made into| ${target}`] : []
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

/** Characters to escape: all but letters, digits, and punctuation without a meaning in Mermaid or HTML. */
const SPECIAL = /[^\p{L}\p{N} ,:.()✓✗…“”/+-]/gu

/** Invisible character that splits `$$` and `:fa-`, which Mermaid reads as formulas and icons. */
const WORD_JOINER = '\u2060'

/** Escapes text for a label: special characters become Mermaid entities such as `#35;`. */
export function escapedLabel(text: string): string {
  return text
    .replace(/\$(?=\$)|:(?=fa-)/g, `$&${WORD_JOINER}`)
    .replace(SPECIAL, (character) => `#${character.codePointAt(0)};`)
}
