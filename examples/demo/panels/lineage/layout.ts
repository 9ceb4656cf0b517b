/** Arranges a graph in layers: sources first, each payload after its sources, and chains side by side. */
import type { Edge } from './graph.ts'

export interface Place {
  /** Maximum number of `mutate` bundles between a source and the payload. */
  readonly layer: number
  /** Number of the lane. Each chain stays in one lane if possible. */
  readonly lane: number
}

export interface Layout {
  readonly places: ReadonlyMap<string, Place>
  /** Edges that lead back to an earlier payload of the chain. Signers may state such edges. */
  readonly back: ReadonlySet<Edge>
  readonly layers: number
  readonly lanes: number
}

/** Returns a layout. The order of `keys` and `edges` decides in a tie. */
export function layoutOf(keys: readonly string[], edges: readonly Edge[]): Layout {
  const { forward, back } = withoutCycles(edges)
  const layers = layersOf(keys, forward)
  const places = placed(keys, forward, layers)
  const all = [...places.values()]
  return {
    places,
    back,
    layers: 1 + Math.max(-1, ...all.map(({ layer }) => layer)),
    lanes: 1 + Math.max(-1, ...all.map(({ lane }) => lane)),
  }
}

function withoutCycles(edges: readonly Edge[]): { forward: Edge[]; back: Set<Edge> } {
  const forward: Edge[] = []
  const back = new Set<Edge>()
  for (const edge of edges) {
    if (reach(edge.to, forward).has(edge.from)) back.add(edge)
    else forward.push(edge)
  }
  return { forward, back }
}

function reach(key: string, edges: readonly Edge[]): Set<string> {
  const met = new Set([key])
  for (const one of met) for (const { from, to } of edges) if (from === one) met.add(to)
  return met
}

/** Returns the longest distance of each payload from a source. */
function layersOf(keys: readonly string[], edges: readonly Edge[]): Map<string, number> {
  const layers = new Map(keys.map((key) => [key, 0]))
  for (let isSettled = false; !isSettled; ) {
    isSettled = true
    for (const { from, to } of edges) {
      const least = (layers.get(from) ?? 0) + 1
      if ((layers.get(to) ?? 0) >= least) continue
      layers.set(to, least)
      isSettled = false
    }
  }
  return layers
}

function placed(keys: readonly string[], edges: readonly Edge[], layers: ReadonlyMap<string, number>) {
  const places = new Map<string, Place>()
  const taken = new Set<string>()
  let next = 0
  const place = (key: string, wish: number) => {
    const layer = layers.get(key) ?? 0
    let lane = wish
    while (taken.has(`${layer} ${lane}`)) lane++
    taken.add(`${layer} ${lane}`)
    places.set(key, { layer, lane })
    next = Math.max(next, lane + 1)
  }
  const follow = (key: string, lane: number) => {
    if (places.has(key)) return
    place(key, lane)
    for (const { from, to } of edges) if (from === key) follow(to, places.get(key)?.lane ?? lane)
  }
  for (const key of keys) if (layers.get(key) === 0) follow(key, next)
  return places
}
