/** Draft of the next call's payload, from the selected source. */
import { computed, effect, signal } from '@preact/signals'

const SAMPLE =
  '{"sensor":"seattle","date":"2012-08-17","temp_max":27.2,"temp_min":16.7,"wind":3.2,"weather":"sun"}'

/** Name of the stored text in `localStorage`. */
const NAME = 'alvarium-demo-draft'
/** Maximum length in characters of a stored text. */
const LONGEST = 100_000

/** Sources of payloads. The sensor signs its readings itself. */
export type SourceName = 'text' | 'file' | 'sensor' | 'motion' | 'camera'

export type Draft =
  | { readonly from: 'text'; readonly text: string }
  | {
      readonly from: 'file' | 'camera' | 'motion'
      readonly name: string
      readonly bytes: Uint8Array<ArrayBuffer>
    }

export const source = signal<SourceName>('text')

/** Draft text, which is stored, and the newest draft of each other source. */
export const text = signal(kept())
const taken = signal<Partial<Record<SourceName, Draft>>>({})

/** Draft of the selected source; undefined if it has none yet. */
export const draft = computed<Draft | undefined>(() =>
  source.value === 'text' ? { from: 'text', text: text.value } : taken.value[source.value],
)

/** Sets the draft of a source: a file, a camera frame or a motion reading. */
export function take(given: Exclude<Draft, { from: 'text' }>): void {
  taken.value = { ...taken.value, [given.from]: given }
}

/** Payload of the visitor's newest successful call, from which `mutate` starts. */
export const lastPayload = signal<Uint8Array<ArrayBuffer> | undefined>(undefined)

/** Bytes of the draft; not a copy if they come from a file. */
export const draftBytes = computed<Uint8Array<ArrayBuffer> | undefined>(() => {
  const { value } = draft
  return value?.from === 'text' ? new TextEncoder().encode(value.text) : value?.bytes
})

/** Reason why the draft text is not JSON; undefined if it is JSON. Any bytes can be annotated. */
export const jsonProblem = computed<string | undefined>(() => {
  try {
    JSON.parse(text.value)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
})

/** True if the draft differs from the last payload, as `mutate` requires. */
export const isChanged = computed(() => {
  const last = lastPayload.value
  const bytes = draftBytes.value
  if (!last || !bytes) return false
  return last.length !== bytes.length || bytes.some((byte, at) => byte !== last[at])
})

effect(() => {
  if (text.value.length > LONGEST) return
  try {
    localStorage.setItem(NAME, text.value)
  } catch {
    // Ignore the error: if storage is forbidden, the text is lost with the page.
  }
})

function kept(): string {
  try {
    return localStorage.getItem(NAME) ?? SAMPLE
  } catch {
    return SAMPLE
  }
}
