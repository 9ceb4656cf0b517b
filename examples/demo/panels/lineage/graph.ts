/** Mutate chains out of verified bundles: which payload was made from which. */
import type { Bundle } from 'alvarium-sdk'

/** What is known of a payload. */
export interface PayloadNode {
  readonly key: string
  /** Bundles by action. */
  readonly actions: Readonly<Record<string, number>>
  /** By kind, how often it was asked and how often it said yes. */
  readonly answers: Readonly<Record<string, { readonly yes: number; readonly all: number }>>
  /** Number of its newest message; undefined for a source that only a mutate has named. */
  readonly at: number | undefined
}

/** `to` was made from `from`. */
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
  readonly bundle: Pick<Bundle, 'key' | 'previousKey' | 'action' | 'annotations'>
}

/**
 * The newest chains.
 *
 * @param heard - oldest first
 * @param most - payloads in the graph
 */
export function graphOf(heard: readonly Heard[], most: number): Graph {
  const all = edgesOf(heard)
  const keys = new Set<string>()
  for (const { from, to } of all.toReversed()) {
    const added = [from, to].filter((key) => !keys.has(key))
    if (keys.size + added.length > most) break
    for (const key of added) keys.add(key)
  }
  const edges = all.filter(({ from, to }) => keys.has(from) && keys.has(to))
  const inOrder = new Set(edges.flatMap(({ from, to }) => [from, to]))
  const named = new Set(all.flatMap(({ from, to }) => [from, to]))
  return { nodes: nodesOf(inOrder, heard), edges, left: named.size - inOrder.size }
}

/** Each pair once, by when it was last said, so that the newest come last. */
function edgesOf(heard: readonly Heard[]): Edge[] {
  const edges = new Map<string, Edge>()
  for (const { bundle } of heard) {
    const { key, previousKey } = bundle
    if (previousKey === undefined || previousKey === key) continue
    const name = `${previousKey} ${key}`
    edges.delete(name)
    edges.set(name, { from: previousKey, to: key })
  }
  return [...edges.values()]
}

function nodesOf(keys: ReadonlySet<string>, heard: readonly Heard[]): PayloadNode[] {
  const bundles = new Map<string, Heard[]>(Array.from(keys, (key) => [key, []]))
  for (const one of heard) bundles.get(one.bundle.key)?.push(one)
  return Array.from(bundles, ([key, own]) => ({
    key,
    at: own.at(-1)?.at,
    actions: actionsOf(own),
    answers: answersOf(own),
  }))
}

function actionsOf(heard: readonly Heard[]): PayloadNode['actions'] {
  const actions: Record<string, number> = {}
  for (const { bundle } of heard) actions[bundle.action] = (actions[bundle.action] ?? 0) + 1
  return actions
}

function answersOf(heard: readonly Heard[]): PayloadNode['answers'] {
  const answers: Record<string, { yes: number; all: number }> = {}
  for (const { kind, isSatisfied } of heard.flatMap(({ bundle }) => bundle.annotations)) {
    const { yes, all } = answers[kind] ?? { yes: 0, all: 0 }
    answers[kind] = { yes: yes + Number(isSatisfied), all: all + 1 }
  }
  return answers
}

/** The payload itself, and all that it was made from. */
export function sourcesOf(key: string, edges: readonly Edge[]): Set<string> {
  const met = new Set([key])
  for (const one of met) for (const { from, to } of edges) if (to === one) met.add(from)
  return met
}
