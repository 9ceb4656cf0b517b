import { computed, signal } from '@preact/signals'
import { nameOf } from 'alvarium-sdk/score'
import { isRemembered } from '../../state/payloads.ts'
import { scores } from '../../state/scores.ts'
import { pickedAt, pickedVerdict, verifiedOnes } from '../../state/verdicts.ts'
import { BoundChoice } from '../../ui/controls.tsx'
import { Empty, Panel } from '../../ui/panel.tsx'
import { count } from '../../ui/text.ts'
import { Drawing } from './drawing.tsx'
import { graphOf, type PayloadNode, sourcesOf } from './graph.ts'
import { Listing } from './listing.tsx'
import { nameOfNode } from './words.ts'

/** Maximum number of payloads in the graph. */
const MOST = 24

const VIEWS = [
  { value: 'graph', text: 'Graph' },
  { value: 'list', text: 'List' },
] as const

const view = signal<(typeof VIEWS)[number]['value']>('graph')
/**
 * Messages of the graph. The sensor's readings number thousands, so only payloads of the visitor and of earlier visits
 * are shown without a chain.
 */
const messages = computed(() =>
  verifiedOnes.value.map((one) => ({
    ...one,
    isShownAlone: one.isRecalled === true || isRemembered(one.bundle.key),
  })),
)
const graph = computed(() => graphOf(messages.value, scores.value.graph, MOST))

/** Name of the payload that is pointed at or focused. */
const looked = signal<string | undefined>(undefined)
const picked = computed(() => {
  const { value } = pickedVerdict
  return value && 'bundle' in value ? nameOf(value.bundle) : undefined
})
const chosen = computed(() => {
  const name = looked.value ?? picked.value
  return graph.value.nodes.find((node) => node.name === name)
})
/** Names of the chosen payload and all of its available sources. */
const lit = computed(() => {
  const sources = chosen.value ? sourcesOf(chosen.value, scores.value.graph) : new Set()
  return new Set(graph.value.nodes.map(({ name }) => name).filter((name) => sources.has(name)))
})

function pickNode({ at }: PayloadNode): void {
  if (at === undefined) return
  pickedAt.value = at
  document.getElementById('verify')?.scrollIntoView({ block: 'start' })
}

export function LineagePanel() {
  const { nodes } = graph.value
  return (
    <Panel
      id="lineage"
      title="Lineage"
      lead="What each payload was made from: trust in a result starts with its sources."
      aside={nodes.length > 0 && <BoundChoice label="Show lineage as" options={VIEWS} chosen={view} />}
    >
      {nodes.length === 0 ? (
        <Empty title="No payload yet">Create one, edit it, mutate: the two are then linked here.</Empty>
      ) : (
        <Chains />
      )}
    </Panel>
  )
}

function Chains() {
  const { left } = graph.value
  const props = {
    graph: graph.value,
    lit: lit.value,
    picked: picked.value,
    onPick: pickNode,
    onLook: (name: string | undefined) => {
      looked.value = name
    },
  }
  return (
    <>
      {view.value === 'graph' ? <Drawing {...props} /> : <Listing {...props} />}
      <p class="quiet small lineage-words">
        {words()} {left > 0 && `${count(left)} older payloads are not shown.`}
      </p>
    </>
  )
}

function words() {
  const { value } = chosen
  if (value === undefined) return 'Pick a payload to see its newest message in Verify.'
  const sources = lit.value.size - 1
  const name = nameOfNode(value)
  const text = `${name} was made from ${count(sources)} ${sources === 1 ? 'payload' : 'payloads'} here.`
  return (
    <>
      {sources === 0 ? `${name} is where a chain begins.` : text}{' '}
      {value.name === picked.value && <a href="#verify">Its message is in Verify.</a>}
    </>
  )
}
