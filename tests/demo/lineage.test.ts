import type { VerifiedBundle } from 'alvarium-sdk'
import { BundleGraph } from 'alvarium-sdk/score'
import { describe, expect, it } from 'vitest'
import { across, BOX, down } from '../../examples/demo/panels/lineage/geometry.js'
import { graphOf, sourcesOf } from '../../examples/demo/panels/lineage/graph.js'
import { layoutOf } from '../../examples/demo/panels/lineage/layout.js'
import { said } from '../support/said.js'

const created = (key: string) => said({ key, answers: { src: true, tls: false } })
const mutated = (previousKey: string, key: string) =>
  said({ action: 'mutate', previousKey, key, answers: { src: true } })

/** Returns the graph of these bundles, with at most this many payloads. */
function graph(bundles: readonly VerifiedBundle[], most = 10) {
  const known = new BundleGraph()
  for (const bundle of bundles) known.add(bundle)
  const heard = bundles.map((bundle, at) => ({
    at: at + 1,
    bundle,
    isShownAlone: bundle.key !== 'sensor',
  }))
  return { ...graphOf(heard, known, most), known }
}

/** Returns the layer and the lane of each key of mutates like `a>b`. */
function placed(...mutates: string[]) {
  const edges = mutates.map((text) => ({ from: text.charAt(0), to: text.charAt(2) }))
  const keys = [...new Set(edges.flatMap(({ from, to }) => [from, to]))]
  const layout = layoutOf(keys, edges)
  const places = Object.fromEntries(
    Array.from(layout.places, ([key, { layer, lane }]) => [key, `${layer}/${lane}`]),
  )
  return { layout, edges, places, back: Array.from(layout.back, ({ from, to }) => `${from}>${to}`) }
}

describe('the lineage of the demo page', () => {
  it('links the payloads of a mutate, and shows an unlinked payload only if the visitor has made it', () => {
    const bundles = [created('a'), created('lonely'), created('sensor'), mutated('a', 'b'), mutated('b', 'c')]
    const { nodes, edges, left } = graph(bundles)
    expect(nodes.map(({ key }) => key)).toEqual(['a', 'b', 'c', 'lonely'])
    expect(edges).toEqual([
      { from: 'sha256 a', to: 'sha256 b' },
      { from: 'sha256 b', to: 'sha256 c' },
    ])
    expect(left).toBe(0)
  })

  it("counts a payload's actions and its satisfied and unsatisfied annotations, and records its newest message", () => {
    const [a] = graph([created('a'), mutated('a', 'b'), created('a')]).nodes
    expect(a).toMatchObject({ key: 'a', at: 3, actions: { create: 2 } })
    expect(Object.fromEntries(a?.answers ?? [])).toEqual({ src: { yes: 2, no: 0 }, tls: { yes: 0, no: 2 } })
  })

  it('shows the input of a mutate, even if no other bundle names that payload', () => {
    expect(graph([mutated('a', 'b')]).nodes[0]).toMatchObject({ key: 'a', at: undefined, actions: {} })
  })

  it('shows separately two payloads that have the same key under different hashes', () => {
    const unhashed = said({ action: 'mutate', hash: 'none', previousKey: 'a', key: 'b' })
    expect(graph([mutated('a', 'b'), unhashed]).nodes.map(({ name }) => name)).toEqual([
      ...['sha256 a', 'sha256 b'],
      ...['none a', 'none b'],
    ])
  })

  it('keeps the newest chains when there are too many payloads, and counts the omitted payloads', () => {
    const { nodes, left } = graph([mutated('a', 'b'), mutated('c', 'd'), mutated('d', 'e')], 3)
    expect(nodes.map(({ key }) => key)).toEqual(['c', 'd', 'e'])
    expect(left).toBe(2)
  })

  it('highlights a payload and all of its sources', () => {
    const { nodes, known } = graph([mutated('a', 'b'), mutated('x', 'b'), mutated('b', 'c')])
    const b = nodes.find(({ key }) => key === 'b')
    expect(b && sourcesOf(b, known)).toEqual(new Set(['sha256 b', 'sha256 a', 'sha256 x']))
  })
})

describe('the layout of a lineage in the demo page', () => {
  it('puts a chain into one lane', () => {
    expect(placed('a>b', 'b>c').places).toEqual({ a: '0/0', b: '1/0', c: '2/0' })
  })

  it('puts payloads of the same source next to each other', () => {
    expect(placed('a>b', 'a>c').places).toEqual({ a: '0/0', b: '1/0', c: '1/1' })
  })

  it('puts a payload into the column after the last column of its sources', () => {
    expect(placed('a>d', 'a>b', 'b>c', 'c>d').places).toMatchObject({ a: '0/0', c: '2/0', d: '3/0' })
  })

  it('puts unrelated chains into separate lanes', () => {
    expect(placed('a>b', 'c>d').places).toEqual({ a: '0/0', b: '1/0', c: '0/1', d: '1/1' })
  })

  it('has an arrow back if a payload was changed and changed back', () => {
    const { back, places, layout } = placed('a>b', 'b>a', 'a>c')
    expect(back).toEqual(['b>a'])
    expect(places).toEqual({ a: '0/0', b: '1/0', c: '1/1' })
    expect([layout.layers, layout.lanes]).toEqual([2, 2])
  })

  it('is empty without payloads', () => {
    expect(layoutOf([], [])).toMatchObject({ layers: 0, lanes: 0 })
  })

  it.each([across, down])('keeps all boxes inside the picture, without overlaps (%o)', (draw) => {
    const { layout } = placed('a>b', 'b>c', 'a>d', 'x>y', 'c>a', 'x>d')
    const { boxes, width, height } = draw(layout)
    const all = [...boxes.values()]
    for (const [n, { x, y }] of all.entries()) {
      expect(x >= 0 && y >= 0 && x + BOX.width <= width && y + BOX.height <= height).toBe(true)
      for (const other of all.slice(n + 1)) {
        expect(Math.abs(other.x - x) >= BOX.width || Math.abs(other.y - y) >= BOX.height).toBe(true)
      }
    }
  })
})
