import { computed, signal } from '@preact/signals'
import { pickedAt, pickedVerdict, verifiedOnes } from '../../state/verdicts.ts'
import { BoundChoice } from '../../ui/controls.tsx'
import { Empty, Panel } from '../../ui/panel.tsx'
import { count, short } from '../../ui/text.ts'
import { Drawing } from './drawing.tsx'
import { graphOf, type PayloadNode, sourcesOf } from './graph.ts'
import { Listing } from './listing.tsx'

/** Payloads that are shown; the newest chains. */
const MOST = 24

const VIEWS = [
  { value: 'graph', text: 'Graph' },
  { value: 'list', text: 'List' },
] as const

const view = signal<(typeof VIEWS)[number]['value']>('graph')
const graph = computed(() => graphOf(verifiedOnes.value, MOST))

/** What is pointed at or has the focus. */
const looked = signal<string | undefined>(undefined)
const pickedKey = computed(() => {
  const { value } = pickedVerdict
  return value && 'bundle' in value ? value.bundle.key : undefined
})
/** The payload that is looked at or else picked, and all of its sources. */
const lit = computed(() => {
  const key = looked.value ?? pickedKey.value
  const isHere = graph.value.nodes.some((node) => node.key === key)
  return key !== undefined && isHere ? sourcesOf(key, graph.value.edges) : new Set<string>()
})

function pickNode({ at }: PayloadNode): void {
  if (at === undefined) return
  pickedAt.value = at
  document.getElementById('verify')?.scrollIntoView({ block: 'start' })
}

/** What each payload was made from. */
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
        <Empty title="No chain yet">Create a payload, edit it, mutate: the two are then linked here.</Empty>
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
    pickedKey: pickedKey.value,
    onPick: pickNode,
    onLook: (key: string | undefined) => {
      looked.value = key
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
  const key = looked.value ?? pickedKey.value
  const sources = lit.value.size - 1
  if (key === undefined || sources < 0) return 'Pick a payload to see its newest message in Verify.'
  const text = `${short(key)} was made from ${count(sources)} ${sources === 1 ? 'payload' : 'payloads'} here.`
  return (
    <>
      {sources === 0 ? `${short(key)} is where a chain begins.` : text}{' '}
      {key === pickedKey.value && <a href="#verify">Its message is in Verify.</a>}
    </>
  )
}
