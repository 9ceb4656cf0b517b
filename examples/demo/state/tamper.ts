/** The verdict that is looked at, what the visitor has altered in it, and what the verifier says about that. */
import { batch, computed, effect, signal } from '@preact/signals'
import { altered, type Edits, leavesOf, type Value } from '../panels/verify/tampering.ts'
import type { Trouble, Verdict } from '../protocol.ts'
import { CallFailed } from './link.ts'
import { payloadOf } from './payloads.ts'
import { pickedAt, verdicts } from './verdicts.ts'
import { maker, verifier } from './workers.ts'

/** The picked one, kept although the list may have moved on. */
export const picked = signal<Verdict | undefined>(undefined)

/** What the visitor has altered. */
export const edits = signal<Edits>(new Map())
/** The payload that the visitor has altered. */
export const payloadEdit = signal<Uint8Array<ArrayBuffer> | undefined>(undefined)

/** What the verifier says: undefined while it is being asked. */
export const outcome = signal<{ readonly trouble?: Trouble } | undefined>(undefined)

/** The message that was sent on, and what went wrong in sending it. */
export const sent = signal<
  { readonly message: Uint8Array; readonly isAccepted: boolean; readonly trouble?: Trouble } | undefined
>(undefined)

/** The payload that the picked message is about, where the page still has it. */
export const genuinePayload = computed(() => {
  const key = leavesOf(picked.value?.message ?? new Uint8Array()).find(({ path }) => path === 'content.key')
  return key === undefined ? undefined : payloadOf(String(key.value))
})

/** What is verified: the picked message with what was altered, and the payload. */
export const tampered = computed(() => ({
  message: altered(picked.value?.message ?? new Uint8Array(), edits.value),
  payload: payloadEdit.value ?? genuinePayload.value,
}))

/** Names of what is altered. */
export const changed = computed(() => [
  ...Array.from(edits.value.keys(), (path) => path.slice(path.lastIndexOf('.') + 1)),
  ...(payloadEdit.value ? ['payload'] : []),
])

/** What the live list says of the message that was sent on. */
export const sentVerdict = computed(() => {
  const message = sent.value?.message
  return message && verdicts.value.find((verdict) => areEqual(verdict.message, message))
})

/** Shows this one, as it came. */
export function pick(verdict: Verdict): void {
  if (picked.peek()?.at === verdict.at) return
  batch(() => {
    picked.value = verdict
    pickedAt.value = verdict.at
    undoAll()
  })
}

/** Alters a field; the value it had undoes that. */
export function alter(path: string, value: Value): void {
  const genuine = leavesOf(picked.peek()?.message ?? new Uint8Array()).find((leaf) => leaf.path === path)
  const next = new Map(edits.peek())
  if (genuine?.value === value) next.delete(path)
  else next.set(path, value)
  batch(() => {
    edits.value = next
    sent.value = undefined
  })
}

export function alterPayload(payload: Uint8Array<ArrayBuffer> | undefined): void {
  const genuine = genuinePayload.peek()
  payloadEdit.value = payload && genuine && areEqual(payload, genuine) ? undefined : payload
}

/** The genuine one again. */
export function undoAll(): void {
  batch(() => {
    edits.value = new Map()
    payloadEdit.value = undefined
    sent.value = undefined
  })
}

/** Publishes the altered message, as anybody at the broker could. */
export async function sendTampered(): Promise<void> {
  const { message } = tampered.peek()
  const isStill = () => sent.peek()?.message === message
  sent.value = { message, isAccepted: false }
  try {
    await maker.call('send', message)
    if (isStill()) sent.value = { message, isAccepted: true }
  } catch (error) {
    if (isStill()) sent.value = { message, isAccepted: false, trouble: troubleOf(error) }
  }
}

/** Other panels pick by number. */
effect(() => {
  const { value } = pickedAt
  const verdict = verdicts.peek().find(({ at }) => at === value)
  if (verdict) pick(verdict)
})

effect(() => {
  if (picked.value) check(tampered.value)
})

async function check({ message, payload }: typeof tampered.value): Promise<void> {
  const isStill = () => tampered.peek().message === message && tampered.peek().payload === payload
  try {
    await verifier.call('verify', { message, ...(payload && { payload }) })
    if (isStill()) outcome.value = {}
  } catch (error) {
    if (isStill()) outcome.value = { trouble: troubleOf(error) }
  }
}

function troubleOf(error: unknown): Trouble {
  if (error instanceof CallFailed) return { code: error.code, message: error.message }
  return { code: 'INTERNAL', message: String(error) }
}

function areEqual(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, at) => byte === other[at])
}
