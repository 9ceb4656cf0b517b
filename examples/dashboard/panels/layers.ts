/** Arranges the boxes of a lineage in layers: the selected payload at the top, each step one layer lower. */
import { BOX, type Point } from '../../demo/panels/lineage/geometry.ts'

/** Gaps in pixels: `layer` leaves room for arrows, and `row` separates two rows of the same layer. */
const GAP = { across: 16, row: 12, layer: 34 }
/** Margin in pixels for focus rings. */
const MARGIN = 4
/** Length of an arrow's head, and distance of a line that goes around other boxes, in pixels. */
const [HEAD, AROUND] = [7, 17]

/** Size of a drawing, and positions of its boxes by index. */
export interface Layers {
  readonly width: number
  readonly height: number
  readonly boxes: readonly Point[]
}

/**
 * Returns the positions of boxes. Puts as many in a row as `room` permits.
 *
 * @param depths - depth of each box
 * @param room - width in pixels
 */
export function layersOf(depths: readonly number[], room: number): Layers {
  const abreast = Math.max(1, Math.floor((room - 2 * MARGIN + GAP.across) / (BOX.width + GAP.across)))
  const rows = rowsOf(depths, abreast)
  const widest = Math.max(...rows.map(({ numbers }) => widthOf(numbers.length)))
  const width = Math.max(widest + 2 * MARGIN, Number.isFinite(room) ? room : 0)
  const boxes: Point[] = []
  let y = MARGIN
  for (const { numbers, gap } of rows) {
    const left = (width - widthOf(numbers.length)) / 2
    for (const [place, at] of numbers.entries()) boxes[at] = { x: left + place * (BOX.width + GAP.across), y }
    y += BOX.height + gap
  }
  return { width, height: y - (rows.at(-1)?.gap ?? 0) + MARGIN, boxes }
}

function widthOf(count: number): number {
  return count * (BOX.width + GAP.across) - GAP.across
}

interface Row {
  readonly numbers: readonly number[]
  readonly gap: number
}

function rowsOf(depths: readonly number[], abreast: number): Row[] {
  const layers = new Map<number, number[]>()
  for (const [at, depth] of depths.entries()) layers.set(depth, [...(layers.get(depth) ?? []), at])
  return [...layers.values()].flatMap((layer) => {
    const count = Math.ceil(layer.length / abreast)
    return Array.from({ length: count }, (_, row) => ({
      numbers: layer.slice(row * abreast, (row + 1) * abreast),
      gap: row === count - 1 ? GAP.layer : GAP.row,
    }))
  })
}

/** Returns an arrow between two boxes as an SVG path. */
export function arrowOf(from: Point, to: Point): string {
  const [x, endX] = [from.x + BOX.width / 2, to.x + BOX.width / 2]
  const isUp = to.y < from.y
  const y = isUp ? from.y : from.y + BOX.height
  const endY = isUp ? to.y + BOX.height + HEAD : to.y - HEAD
  if (from.y === to.y) {
    const low = from.y + BOX.height + GAP.layer - HEAD
    return `M${x} ${from.y + BOX.height}C${x} ${low} ${endX} ${low} ${endX} ${to.y + BOX.height + HEAD}`
  }
  // Go around the boxes in between, where a straight line would seem to end.
  if (x === endX && Math.abs(to.y - from.y) > BOX.height + GAP.layer) return around(from, to)
  const bend = (endY - y) / 2
  return `M${x} ${y}C${x} ${y + bend} ${endX} ${endY - bend} ${endX} ${endY}`
}

function around(from: Point, to: Point): string {
  const [y, endY, left] = [from.y + BOX.height / 2, to.y + BOX.height / 2, from.x - AROUND]
  return `M${from.x} ${y}C${left} ${y} ${left} ${endY} ${to.x - HEAD} ${endY}`
}
