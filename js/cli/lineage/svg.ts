import { OUTCOMES, type Outcome } from '../../foundation/model/outcome.js'
import { BOX_WIDTH, type PlacedBox, place, SIZES } from './layout.js'
import type { Line, Picture } from './picture.js'

/** Colours by outcome that differ even in a greyscale print. Each has a contrast of at least 4.5 to 1. */
const COLOURS = {
  holds: { fill: '#f3faf5', stroke: '#1a7f37' },
  'does not hold': { fill: '#fef5f4', stroke: '#b3261e' },
  'cannot tell': { fill: '#fffaf0', stroke: '#8a5a00' },
} as const satisfies Readonly<Record<Outcome, { fill: string; stroke: string }>>

const TEXT = '#1c1f23'

export function svgOf(picture: Picture): string {
  const { all, width, height } = place(picture)
  const places = new Map(all.map((one) => [one.box.name, one]))
  const arrows = picture.arrows.map(({ from, to }) => arrow(places.get(from), places.get(to)))
  const size = `width="${Math.ceil(width)}" height="${Math.ceil(height)}" viewBox="0 0 ${Math.ceil(width)} ${Math.ceil(height)}"`
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" ${size} font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="13">`,
    `<title>${escapedXml(picture.title)}</title>`,
    '<defs><marker id="alvarium-arrow" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="8" markerHeight="8" orient="auto">',
    '<path d="M0 0L10 5L0 10z" fill="#5c6370"/></marker></defs>',
    '<rect width="100%" height="100%" fill="#ffffff"/>',
    ...arrows,
    ...all.map(boxText),
    '</svg>',
  ].join('\n')}\n`
}

function arrow(from: PlacedBox | undefined, to: PlacedBox | undefined): string {
  if (!from || !to) return ''
  const [x1, y1] = [from.left + BOX_WIDTH / 2, from.top + from.height]
  const [x2, y2] = [to.left + BOX_WIDTH / 2, to.top - 2]
  const bend = Math.max(SIZES.layer / 2, (y2 - y1) / 2)
  const path = `M${px(x1)} ${px(y1)}C${px(x1)} ${px(y1 + bend)} ${px(x2)} ${px(y2 - bend)} ${px(x2)} ${px(y2)}`
  return `<path d="${path}" fill="none" stroke="#5c6370" stroke-width="1.5" marker-end="url(#alvarium-arrow)"/>`
}

function boxText({ box, lines, left, top, height }: PlacedBox): string {
  const { fill, stroke } = COLOURS[box.outcome]
  const frame = `x="${px(left)}" y="${px(top)}" width="${px(BOX_WIDTH)}" height="${px(height)}" rx="6"`
  return [
    `<g><rect ${frame} fill="${fill}" stroke="${stroke}" stroke-width="${box.isAsked ? 3 : 1.5}"/>`,
    ...lines.map((line, at) =>
      lineText(line, left + SIZES.padding, top + SIZES.padding + (at + 0.75) * SIZES.line),
    ),
    '</g>',
  ].join('\n')
}

function lineText({ text, outcome, isBold }: Line, x: number, y: number): string {
  const mark = outcome
    ? `<tspan fill="${COLOURS[outcome].stroke}" font-weight="bold">${OUTCOMES[outcome].mark}</tspan> `
    : ''
  const weight = isBold ? ' font-weight="bold"' : ''
  return `<text x="${px(x)}" y="${px(y)}" fill="${TEXT}"${weight} xml:space="preserve">${mark}${escapedXml(text)}</text>`
}

function px(length: number): string {
  return `${Math.round(length * 10) / 10}`
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Escapes text for an XML element. Noncharacters, which XML 1.0 (section 2.2) forbids, become `\u{fffe}`. */
function escapedXml(text: string): string {
  return text
    .replace(/[&<>"]/g, (character) => ENTITIES[character] as string)
    .replace(/[\ufffe\uffff]/g, (character) => `\\u{${character.charCodeAt(0).toString(16)}}`)
}
