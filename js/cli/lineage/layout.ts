import type { Box, Line, Picture } from './picture.js'

export interface PlacedBox {
  readonly box: Box
  readonly lines: readonly Line[]
  readonly left: number
  readonly top: number
  readonly height: number
}

/** Sizes in pixels. `column` is the width of the widest usual monospaced character at 13 px. */
export const SIZES = { column: 8.2, line: 18, padding: 12, gap: 24, layer: 56, margin: 20 }

const COLUMNS = 46
/** Maximum number of boxes side by side, so that the picture fits a page. More boxes form another row. */
const MAX_ABREAST = 3

export const BOX_WIDTH = COLUMNS * SIZES.column + 2 * SIZES.padding

/** Calculates the position of each box. Sources are above the payloads that were made from them. */
export function place(picture: Picture): { all: PlacedBox[]; width: number; height: number } {
  const rows = layoutRows(picture)
  const abreast = Math.max(1, ...rows.map(({ boxes: row }) => row.length))
  const width = 2 * SIZES.margin + abreast * BOX_WIDTH + (abreast - 1) * SIZES.gap
  const all: PlacedBox[] = []
  let top = SIZES.margin
  for (const { boxes: row, below } of rows) {
    const left = (width - row.length * BOX_WIDTH - (row.length - 1) * SIZES.gap) / 2
    const inRow = row.map((box, at) => {
      const lines = box.lines.flatMap(wrap)
      const height = lines.length * SIZES.line + 2 * SIZES.padding
      return { box, lines, left: left + at * (BOX_WIDTH + SIZES.gap), top, height }
    })
    all.push(...inRow)
    top += Math.max(...inRow.map(({ height }) => height)) + below
  }
  const last = rows.at(-1)?.below ?? 0
  return { all, width, height: top - last + SIZES.margin }
}

interface Row {
  readonly boxes: readonly Box[]
  /** Space below the row, in pixels. */
  readonly below: number
}

function layoutRows(picture: Picture): Row[] {
  const levels = levelsOf(picture)
  const inOrder = [...new Set(levels.values())].sort((one, other) => one - other)
  if (picture.direction === 'up') inOrder.reverse()
  return inOrder.flatMap((level) => {
    const layer = picture.boxes.filter(({ name }) => levels.get(name) === level)
    const rows = Math.ceil(layer.length / MAX_ABREAST)
    return Array.from({ length: rows }, (_, at) => ({
      boxes: layer.slice(at * MAX_ABREAST, (at + 1) * MAX_ABREAST),
      below: at === rows - 1 ? SIZES.layer : SIZES.gap,
    }))
  })
}

/** Returns the layer of each box: the longest distance from the payload in question to the box. */
function levelsOf({ boxes, arrows, direction }: Picture): ReadonlyMap<string, number> {
  const next = new Map<string, string[]>(boxes.map(({ name }) => [name, []]))
  for (const { from, to } of arrows) {
    if (direction === 'up') next.get(from)?.push(to)
    else next.get(to)?.push(from)
  }
  const levels = new Map<string, number>()
  const levelOf = (name: string): number => {
    const known = levels.get(name)
    if (known !== undefined) return known
    // Break cycles: messages can claim that two payloads were made from each other. A path that returns to
    // this box does not count.
    levels.set(name, -1)
    const level = Math.max(-1, ...(next.get(name) ?? []).map(levelOf)) + 1
    levels.set(name, level)
    return level
  }
  for (const { name } of boxes) levelOf(name)
  return levels
}

function wrap(line: Line): Line[] {
  const indent = line.text.startsWith('  ') || line.outcome ? '    ' : '  '
  const pieces: string[] = []
  let rest = line.text
  while (columnsOf(rest) > MAX_COLUMNS) {
    const end = endIn(rest)
    pieces.push(rest.slice(0, end))
    rest = `${indent}${rest.slice(end).trimStart()}`
  }
  return [...pieces, rest].map((text, at) =>
    at === 0 ? { ...line, text } : { text, isBold: line.isBold ?? false },
  )
}

/** Maximum width of a line's text in columns. Two columns are left for a mark such as ✓, and a space. */
const MAX_COLUMNS = COLUMNS - 2

function endIn(text: string): number {
  let [end, columns, space] = [0, 0, 0]
  for (const character of text) {
    columns += columnsOf(character)
    if (columns > MAX_COLUMNS) break
    end += character.length
    if (character === ' ' && columns > MAX_COLUMNS / 2) space = end
  }
  return space || end
}

/** Returns the width of a text in columns. Characters from U+1100 on count as two. */
function columnsOf(text: string): number {
  return [...text].reduce((sum, character) => sum + ((character.codePointAt(0) ?? 0) < 0x1100 ? 1 : 2), 0)
}
