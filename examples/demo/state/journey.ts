/** The story at the top: readings that travel, and what becomes of one that somebody alters on its way. */
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

/** Where a reading is: at one of the three stations, or with you. */
export const YOU = 3

/** What is altered on the way from gateway to service. */
export const LIES = ['reading', 'answer', 'signer'] as const
export type Lie = (typeof LIES)[number]

/** Readings that are signed as the page opens. */
export const OPENING = 3
/** How long a reading stays at a station: three of them have arrived within five seconds. */
const STEP_MS = 400

/** Readings that have been sent, oldest first; each is what the stations signed about it. */
export const journeys = signal<readonly (readonly Hop[])[]>([])
/** Which of them is shown. */
export const shown = signal(0)
/** How far it has come. */
export const reached = signal(0)
/** What was altered in it, and what whoever receives it then says; undefined as long as nothing was. */
export const lie = signal<Lie | undefined>(undefined)
export const noticed = signal<Trouble | undefined>(undefined)

/** Number of alterations that the service has refused. */
export const refusals = signal(0)

export const hops = computed(() => journeys.value[shown.value] ?? [])

/** Messages that the verifier has rejected as they were sent: none, unless something is wrong with this page. */
const rejected = new WeakSet<Uint8Array>()

/** Whether all that was signed about the reading that is shown has been verified. */
export const isGenuine = computed(() => hops.value.every(({ message }) => !rejected.has(message)))

/** What the service receives: the gateway's message and the reading, altered or not. */
export const received = computed(() => {
  const gateway = hops.value[1]
  return gateway && forged(gateway, lie.value)
})

/** Signs the first readings and shows them on their way. Needs nobody but this page's workers. */
export async function openJourney(): Promise<void> {
  for (let n = 0; n < OPENING; n++) await send()
  showNewest()
  for (let n = 0; n < OPENING && lie.value === undefined; n++) await walk(n)
}

/** The tool begins with what has just been signed, unless the visitor came with a message or has opened one. */
function showNewest(): void {
  const newest = journeys.peek().at(-1)?.at(-1)
  if (!newest || loaded.peek().text !== '') return
  const { message, payload } = newest
  load({ name: 'service’s message', text: shownAs(message), payload, keys: '' })
}

/** Another reading, on its way as it came from the sensor. */
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

/** How many times something was altered, or was restored. */
let tampered = 0

/** Alters the reading that is shown behind the gateway, and has the verifier judge what arrives. */
export async function tamper(chosen: Lie): Promise<void> {
  const gateway = hops.peek()[1]
  if (!gateway) return
  const { message, payload } = forged(gateway, chosen)
  const own = ++tampered
  const { trouble } = await verifier.call('inspect', { message, payload })
  // Undone meanwhile, or altered otherwise.
  if (own !== tampered) return
  batch(() => {
    lie.value = chosen
    noticed.value = trouble
    if (trouble) refusals.value++
    reached.value = YOU
  })
}

/** As it was. */
export function restore(): void {
  tampered++
  batch(() => {
    lie.value = undefined
    noticed.value = undefined
  })
}

/** The gateway's message and reading as somebody behind it would hand them on. */
function forged({ message, payload }: Hop, chosen: Lie | undefined) {
  if (chosen === 'reading') return { message, payload: cooled(payload) }
  if (chosen === undefined) return { message, payload }
  const text = new TextDecoder().decode(message)
  const wanted = chosen === 'answer' ? 'isSatisfied' : 'signer'
  const leaf = leavesOf(text).find(({ name }) => name === wanted)
  const lied = leaf ? edited(text, leaf, flipped(leaf.name, leaf.value)) : text
  return { message: new TextEncoder().encode(lied), payload }
}

/** Twenty degrees less: nobody would look at it twice. */
function cooled(payload: Uint8Array): Uint8Array<ArrayBuffer> {
  const reading = readingOf(payload)
  const celsius = Math.round((reading.celsius - 20) * 10) / 10
  return new TextEncoder().encode(JSON.stringify({ ...reading, celsius }))
}

/** What a payload of the story says. */
export function readingOf(payload: Uint8Array): { readonly celsius: number } {
  return JSON.parse(new TextDecoder().decode(payload))
}
