/** Example at the top of the page: the visitor can alter a reading between two stations. */
import { batch, computed, signal } from '@preact/signals'
import { flipped } from '../panels/verify/flip.ts'
import { edited, leavesOf } from '../panels/verify/leaves.ts'
import type { Hop, Trouble } from '../protocol.ts'
import { shownAs } from '../ui/text.ts'
import { load } from './editing.ts'
import { trust } from './key.ts'
import { rememberPayload } from './payloads.ts'
import { nameSigner } from './signers.ts'
import { loaded } from './tool.ts'
import { maker, verifier } from './workers.ts'

/** Position of a reading after the three stations. */
export const YOU = 3

/** Alterations that an attacker can make between gateway and service. */
export const LIES = ['reading', 'answer', 'signer'] as const
export type Lie = (typeof LIES)[number]

/** Number of readings that are signed when the page opens. */
export const OPENING = 3
/** Milliseconds that a reading stays at a station. Three readings arrive within five seconds. */
const STEP_MS = 400

/** Readings, oldest first. Each one is the list of the stations' messages. */
export const journeys = signal<readonly (readonly Hop[])[]>([])
/** Index of the reading that is shown. */
export const shown = signal(0)
/** Position of the shown reading: 0 at the first station, {@link YOU} after the last one. */
export const reached = signal(0)
/** Alteration of the shown reading, and the error at the service; both undefined without an alteration. */
export const lie = signal<Lie | undefined>(undefined)
export const noticed = signal<Trouble | undefined>(undefined)

/** Number of altered readings that the service has rejected. */
export const refusals = signal(0)

export const hops = computed(() => journeys.value[shown.value] ?? [])

/** Unaltered messages that the verifier rejected. There are none unless this page has a bug. */
const rejected = new WeakSet<Uint8Array>()

/** True if all messages about the shown reading have verified. */
export const isGenuine = computed(() => hops.value.every(({ message }) => !rejected.has(message)))

/** Message and reading that the service receives, altered or not. */
export const received = computed(() => {
  const gateway = hops.value[1]
  return gateway && forged(gateway, lie.value)
})

/** Signs the first readings and shows them in transit. Works without a broker. */
export async function openJourney(): Promise<void> {
  for (let n = 0; n < OPENING; n++) await send()
  showNewest()
  for (let n = 0; n < OPENING && lie.value === undefined; n++) await walk(n)
}

/** Loads the newest message into the Verify tool, unless the tool already has a message. */
function showNewest(): void {
  const newest = journeys.peek().at(-1)?.at(-1)
  if (!newest || loaded.peek().text !== '') return
  const { message, payload } = newest
  load({ name: 'service’s message', text: shownAs(message), payload, keys: '' })
}

export async function sendAnother(): Promise<void> {
  restore()
  await send()
  await walk(journeys.value.length - 1)
}

async function send(): Promise<void> {
  const sent = await maker.call('travel')
  for (const { publicKey } of sent) await trust(publicKey, false)
  for (const { bundle, payload, message, station } of sent) {
    rememberPayload(bundle.key, payload)
    nameSigner(bundle.signer, station)
    if (!(await verifier.call('hear', message))) rejected.add(message)
  }
  journeys.value = [...journeys.value, sent]
}

const still = matchMedia('(prefers-reduced-motion: reduce)')

async function walk(which: number): Promise<void> {
  batch(() => {
    shown.value = which
    reached.value = still.matches ? YOU : 0
  })
  while (reached.value < YOU && shown.value === which) {
    await new Promise((resolve) => setTimeout(resolve, STEP_MS))
    if (shown.value === which && reached.value < YOU) reached.value++
  }
}

/** Number of alterations and restorations so far. */
let tampered = 0

/** Alters the shown reading after the gateway, and lets the verifier check it. */
export async function tamper(chosen: Lie): Promise<void> {
  const gateway = hops.peek()[1]
  if (!gateway) return
  const { message, payload } = forged(gateway, chosen)
  const own = ++tampered
  const { trouble } = await verifier.call('inspect', { message, payload })
  // Ignore the verifier's answer if the visitor has altered or restored the reading in the meantime.
  if (own !== tampered) return
  batch(() => {
    lie.value = chosen
    noticed.value = trouble
    if (trouble) refusals.value++
    reached.value = YOU
  })
}

export function restore(): void {
  tampered++
  batch(() => {
    lie.value = undefined
    noticed.value = undefined
  })
}

/** Returns the gateway's message and reading as an attacker would forward them. */
function forged({ message, payload }: Hop, chosen: Lie | undefined) {
  if (chosen === 'reading') return { message, payload: cooled(payload) }
  if (chosen === undefined) return { message, payload }
  const text = new TextDecoder().decode(message)
  const wanted = chosen === 'answer' ? 'isSatisfied' : 'signer'
  const leaf = leavesOf(text).find(({ name }) => name === wanted)
  const lied = leaf ? edited(text, leaf, flipped(leaf.name, leaf.value)) : text
  return { message: new TextEncoder().encode(lied), payload }
}

/** Returns the reading with twenty degrees less, which looks inconspicuous. */
function cooled(payload: Uint8Array): Uint8Array<ArrayBuffer> {
  const reading = readingOf(payload)
  const celsius = Math.round((reading.celsius - 20) * 10) / 10
  return new TextEncoder().encode(JSON.stringify({ ...reading, celsius }))
}

export function readingOf(payload: Uint8Array): { readonly celsius: number } {
  return JSON.parse(new TextDecoder().decode(payload))
}
