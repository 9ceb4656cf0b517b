/** Payloads out of verified bundles, and which was made from which. */
import type { Bundle } from 'alvarium-sdk'
import { type Confidence, type KnownPayload, nameOf, type PayloadName } from 'alvarium-sdk/judge'

/** What is known of a payload. */
export interface PayloadNode extends KnownPayload {
  /** See {@link nameOf}. */
  readonly name: string
  /** Bundles by action. */
  readonly actions: Readonly<Record<string, number>>
  /** Number of its newest message; undefined for a source that only a mutate has named. */
  readonly at: number | undefined
}

/** `to` was made from `from`, by their names. */
export interface Edge {
  readonly from: string
  readonly to: string
}

export interface Graph {
  /** In the order in which they were first heard of. */
  readonly nodes: readonly PayloadNode[]
  readonly edges: readonly Edge[]
  /** Payloads in chains that are not here because there are too many. */
  readonly left: number
}

/** A verified message, as far as it matters here. */
export interface Heard {
  readonly at: number
  readonly bundle: Pick<Bundle, 'key' | 'hash' | 'previousKey' | 'action'>
  /** True if its payload is shown without a chain, too. */
  readonly isShownAlone?: boolean
}

/** Share of the payloads in a graph that may stand alone: chains say more. */
const SHARE_ALONE = 1 / 3

/**
 * Returns the newest chains, and the newest payloads that stand alone.
 *
 * @param heard - oldest first
 * @param confidence - in what was heard
 * @param most - payloads in the graph
 */
export function graphOf(heard: readonly Heard[], confidence: Confidence, most: number): Graph {
  const all = edgesOf(heard)
  const linked = new Set(all.flatMap(({ from, to }) => [from, to]))
  const alone = aloneIn(heard, linked)
  const shownAlone = alone.slice(-Math.floor(most * SHARE_ALONE))
  const names = newestIn(all, most - shownAlone.length)
  const edges = all.filter(({ from, to }) => names.has(from) && names.has(to))
  const inOrder = new Set([...edges.flatMap(({ from, to }) => [from, to]), ...shownAlone])
  const left = linked.size + alone.length - inOrder.size
  return { nodes: nodesOf(inOrder, heard, confidence), edges, left }
}

/** Returns the names in the newest chains, as many as there is room for. */
function newestIn(edges: readonly Edge[], room: number): Set<string> {
  const names = new Set<string>()
  for (const { from, to } of edges.toReversed()) {
    const added = [from, to].filter((name) => !names.has(name))
    if (names.size + added.length > room) break
    for (const name of added) names.add(name)
  }
  return names
}

/** Returns the names of payloads that stand alone, by when they were last heard of. */
function aloneIn(heard: readonly Heard[], linked: ReadonlySet<string>): string[] {
  const names = new Set<string>()
  for (const { bundle, isShownAlone } of heard) {
    const name = nameOf(bundle)
    if (!isShownAlone || linked.has(name)) continue
    names.delete(name)
    names.add(name)
  }
  return [...names]
}

/** Each pair once, by when it was last said, so that the newest come last. */
function edgesOf(heard: readonly Heard[]): Edge[] {
  const edges = new Map<string, Edge>()
  for (const { bundle } of heard) {
    const [to = '', from = to] = payloadsOf(bundle).map(nameOf)
    if (from === to) continue
    edges.delete(`${from} ${to}`)
    edges.set(`${from} ${to}`, { from, to })
  }
  return [...edges.values()]
}

/** What a bundle is about, and what that was made from. */
function payloadsOf({ key, hash, previousKey }: Heard['bundle']): PayloadName[] {
  return previousKey === undefined
    ? [{ key, hash }]
    : [
        { key, hash },
        { key: previousKey, hash },
      ]
}

function nodesOf(names: ReadonlySet<string>, heard: readonly Heard[], confidence: Confidence): PayloadNode[] {
  const payloads = new Map(
    heard.flatMap(({ bundle }) => payloadsOf(bundle)).map((payload) => [nameOf(payload), payload]),
  )
  return Array.from(names, (name) => {
    const own = heard.filter(({ bundle }) => nameOf(bundle) === name)
    const known = confidence.of(payloads.get(name) as PayloadName)
    return { ...known, name, at: own.at(-1)?.at, actions: actionsOf(own) }
  })
}

function actionsOf(heard: readonly Heard[]): PayloadNode['actions'] {
  const actions: Record<string, number> = {}
  for (const { bundle } of heard) actions[bundle.action] = (actions[bundle.action] ?? 0) + 1
  return actions
}

/** The names of a payload and of all that it was made from. */
export function sourcesOf(payload: PayloadName, confidence: Confidence): Set<string> {
  return new Set(Array.from(confidence.lineage(payload), nameOf))
}
