/** Derives a graph of payloads and their sources from verified bundles. */
import type { Bundle } from 'alvarium-sdk'
import { type BundleGraph, nameOf, type PayloadName, type Statement } from 'alvarium-sdk/score'

export interface PayloadNode extends PayloadName {
  /** Name of the payload from {@link nameOf}. */
  readonly name: string
  /** Numbers of satisfied and unsatisfied annotations, by kind. */
  readonly answers: ReadonlyMap<string, { readonly yes: number; readonly no: number }>
  readonly madeFrom: readonly PayloadName[]
  /** Number of bundles for each action. */
  readonly actions: Readonly<Record<string, number>>
  /** Number of the newest message about the payload; undefined for a source that only a mutate names. */
  readonly at: number | undefined
}

/** Names of two payloads: `to` was made from `from`. */
export interface Edge {
  readonly from: string
  readonly to: string
}

export interface Graph {
  /** Payloads in the order of `edges`, then unconnected payloads, the most recently named last. */
  readonly nodes: readonly PayloadNode[]
  readonly edges: readonly Edge[]
  /** Number of payloads that are omitted because the graph would be too large. */
  readonly left: number
}

/** Parts of a verified message that the graph uses. */
export interface Heard {
  readonly at: number
  readonly bundle: Pick<Bundle, 'key' | 'hash' | 'previousKey' | 'action'>
  /** True to show the payload even without a connection to another payload. */
  readonly isShownAlone?: boolean
}

/** Maximum share of `most` for unconnected payloads, because chains are more informative. */
const SHARE_ALONE = 1 / 3

/**
 * Returns the newest chains of payloads, and the newest unconnected payloads.
 *
 * @param heard - messages, oldest first
 * @param bundles - graph of the bundles in these messages
 * @param most - maximum number of payloads
 */
export function graphOf(heard: readonly Heard[], bundles: BundleGraph, most: number): Graph {
  const all = edgesOf(heard)
  const linked = new Set(all.flatMap(({ from, to }) => [from, to]))
  const alone = aloneIn(heard, linked)
  const shownAlone = alone.slice(-Math.floor(most * SHARE_ALONE))
  const names = newestIn(all, most - shownAlone.length)
  const edges = all.filter(({ from, to }) => names.has(from) && names.has(to))
  const inOrder = new Set([...edges.flatMap(({ from, to }) => [from, to]), ...shownAlone])
  const left = linked.size + alone.length - inOrder.size
  return { nodes: nodesOf(inOrder, heard, bundles), edges, left }
}

/** Returns the names of the payloads in the newest chains, up to a maximum number. */
function newestIn(edges: readonly Edge[], room: number): Set<string> {
  const names = new Set<string>()
  for (const { from, to } of edges.toReversed()) {
    const added = [from, to].filter((name) => !names.has(name))
    if (names.size + added.length > room) break
    for (const name of added) names.add(name)
  }
  return names
}

/** Returns the names of unconnected payloads, the most recently named last. */
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

/** Returns each pair of payloads once, the most recently named last. */
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

/** Returns a bundle's payload and, if it has one, the payload's source. */
function payloadsOf({ key, hash, previousKey }: Heard['bundle']): PayloadName[] {
  return previousKey === undefined
    ? [{ key, hash }]
    : [
        { key, hash },
        { key: previousKey, hash },
      ]
}

function nodesOf(names: ReadonlySet<string>, heard: readonly Heard[], bundles: BundleGraph): PayloadNode[] {
  const payloads = new Map(
    heard.flatMap(({ bundle }) => payloadsOf(bundle)).map((payload) => [nameOf(payload), payload]),
  )
  return Array.from(names, (name) => {
    const own = heard.filter(({ bundle }) => nameOf(bundle) === name)
    const { key, hash } = payloads.get(name) as PayloadName
    const known = {
      answers: answersIn(bundles.statements({ key, hash })),
      madeFrom: bundles.madeFrom({ key, hash }),
    }
    return { key, hash, name, ...known, at: own.at(-1)?.at, actions: actionsOf(own) }
  })
}

function answersIn(statements: readonly Statement[]): PayloadNode['answers'] {
  const answers = new Map<string, { yes: number; no: number }>()
  for (const { annotations, count = 1 } of statements) {
    for (const { kind, isSatisfied } of annotations) {
      const counts = answers.get(kind) ?? { yes: 0, no: 0 }
      counts[isSatisfied ? 'yes' : 'no'] += count
      answers.set(kind, counts)
    }
  }
  return answers
}

function actionsOf(heard: readonly Heard[]): PayloadNode['actions'] {
  const actions: Record<string, number> = {}
  for (const { bundle } of heard) actions[bundle.action] = (actions[bundle.action] ?? 0) + 1
  return actions
}

/** Returns the names of a payload and of all its sources. */
export function sourcesOf(payload: PayloadName, bundles: BundleGraph): Set<string> {
  return new Set(Array.from(bundles.lineage(payload), nameOf))
}
