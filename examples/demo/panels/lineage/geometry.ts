/** Positions of boxes and arrows in a lineage: layers from left to right or, if too wide, one column. */
import type { Edge } from './graph.ts'
import type { Layout } from './layout.ts'

/** Size of a box in pixels. */
export const BOX = { width: 176, height: 78 }
/** Gaps in pixels. `lanes` leaves room for an arrow that leads back. */
const GAP = { across: 32, down: 18, lanes: 26 }
/** Margin in pixels for focus rings (`wide`), and for arrows that go around boxes (`around`). */
const MARGIN = { wide: 4, around: 30 }

export interface Point {
  readonly x: number
  readonly y: number
}

export interface Geometry {
  readonly width: number
  readonly height: number
  /** Upper left corner of each box, by key. */
  readonly boxes: ReadonlyMap<string, Point>
  /** Returns the arrow of an edge as an SVG path. */
  lineOf(edge: Edge): string
}

/** Arranges layers side by side if `room` permits, otherwise in one column. @param room - width in pixels */
export function fitting(layout: Layout, room: number): Geometry {
  const wide = across(layout)
  return wide.width <= room ? wide : down(layout)
}

export function across({ places, back, layers, lanes }: Layout): Geometry {
  const boxes = mapped(places, ({ layer, lane }) => ({
    x: MARGIN.wide + layer * (BOX.width + GAP.across),
    y: MARGIN.wide + lane * (BOX.height + GAP.lanes),
  }))
  return {
    width: layers * (BOX.width + GAP.across) - GAP.across + 2 * MARGIN.wide,
    height:
      lanes * (BOX.height + GAP.lanes) - GAP.lanes + 2 * MARGIN.wide + (back.size > 0 ? MARGIN.around : 0),
    boxes,
    lineOf: (edge) => {
      const [from, to] = ends(boxes, edge)
      return back.has(edge) ? below(from, to) : rightwards(from, to)
    },
  }
}

/** Arranges boxes in a column, chain by chain. Arrows that skip boxes go around on the left. */
export function down({ places }: Layout): Geometry {
  const order = [...places].sort(([, a], [, b]) => a.lane - b.lane || a.layer - b.layer)
  const rows = new Map(order.map(([key], row) => [key, row]))
  const step = BOX.height + GAP.down
  const boxes = mapped(rows, (row) => ({ x: MARGIN.around, y: MARGIN.wide + row * step }))
  return {
    width: MARGIN.around + BOX.width + MARGIN.wide,
    height: rows.size * step - GAP.down + 2 * MARGIN.wide,
    boxes,
    lineOf: (edge) => {
      const [from, to] = ends(boxes, edge)
      return to.y - from.y === step ? downwards(from, to) : around(from, to)
    },
  }
}

function mapped<T>(from: ReadonlyMap<string, T>, to: (value: T) => Point): Map<string, Point> {
  return new Map(Array.from(from, ([key, value]) => [key, to(value)]))
}

function ends(boxes: ReadonlyMap<string, Point>, { from, to }: Edge): [Point, Point] {
  const nowhere = { x: 0, y: 0 }
  return [boxes.get(from) ?? nowhere, boxes.get(to) ?? nowhere]
}

/** Length of an arrow's head in pixels. */
const HEAD = 7

function rightwards(from: Point, to: Point): string {
  const [x, y] = [from.x + BOX.width, from.y + BOX.height / 2]
  const [endX, endY] = [to.x - HEAD, to.y + BOX.height / 2]
  const bend = GAP.across / 2
  return `M${x} ${y}C${x + bend} ${y} ${endX - bend} ${endY} ${endX} ${endY}`
}

function below(from: Point, to: Point): string {
  const [x, y] = [from.x + BOX.width / 2, from.y + BOX.height]
  const [endX, endY] = [to.x + BOX.width / 2, to.y + BOX.height + HEAD]
  const low = Math.max(y, endY) + MARGIN.around - HEAD
  return `M${x} ${y}C${x} ${low} ${endX} ${low} ${endX} ${endY}`
}

function downwards(from: Point, to: Point): string {
  const x = from.x + BOX.width / 2
  return `M${x} ${from.y + BOX.height}L${x} ${to.y - HEAD}`
}

function around(from: Point, to: Point): string {
  const [y, endY] = [from.y + BOX.height / 2, to.y + BOX.height / 2]
  return `M${from.x} ${y}C2 ${y} 2 ${endY} ${to.x - HEAD} ${endY}`
}
