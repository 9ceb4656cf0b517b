/** The payload that the next call is about. */
import { computed, signal } from '@preact/signals'

const SAMPLE =
  '{"sensor":"seattle","date":"2012-08-17","temp_max":27.2,"temp_min":16.7,"wind":3.2,"weather":"sun"}'

export type Draft =
  | { readonly from: 'text'; readonly text: string }
  | {
      readonly from: 'file' | 'camera' | 'motion'
      readonly name: string
      readonly bytes: Uint8Array<ArrayBuffer>
    }

export const draft = signal<Draft>({ from: 'text', text: SAMPLE })

/** The payload of the newest successful call of the visitor's own: what `mutate` starts from. */
export const lastPayload = signal<Uint8Array<ArrayBuffer> | undefined>(undefined)

/** The draft as bytes; not a copy for files. */
export const draftBytes = computed<Uint8Array<ArrayBuffer>>(() => {
  const { value } = draft
  return value.from === 'text' ? new TextEncoder().encode(value.text) : value.bytes
})

/** Why the draft is no JSON object; undefined when it is one, or was never meant to be. Any bytes can be annotated. */
export const jsonProblem = computed<string | undefined>(() => {
  const { value } = draft
  if (value.from !== 'text') return undefined
  try {
    JSON.parse(value.text)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
})

/** Whether the draft differs from the last payload: only then is there something to say with `mutate`. */
export const isChanged = computed(() => {
  const last = lastPayload.value
  const bytes = draftBytes.value
  if (!last) return false
  return last.length !== bytes.length || bytes.some((byte, at) => byte !== last[at])
})
