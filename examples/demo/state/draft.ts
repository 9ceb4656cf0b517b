/** The payload that the next call is about: that of the source which is chosen, and of no other. */
import { computed, effect, signal } from '@preact/signals'

const SAMPLE =
  '{"sensor":"seattle","date":"2012-08-17","temp_max":27.2,"temp_min":16.7,"wind":3.2,"weather":"sun"}'

/** Under which the text is kept. */
const NAME = 'alvarium-demo-draft'
/** Characters of the longest text that outlasts the page. */
const LONGEST = 100_000

/** Where payloads come from. The sensor signs by itself. */
export type SourceName = 'text' | 'file' | 'sensor' | 'motion' | 'camera'

export type Draft =
  | { readonly from: 'text'; readonly text: string }
  | {
      readonly from: 'file' | 'camera' | 'motion'
      readonly name: string
      readonly bytes: Uint8Array<ArrayBuffer>
    }

/** The source that is chosen. */
export const source = signal<SourceName>('text')

/** The text, which outlasts the page, and the newest of each other source. */
export const text = signal(kept())
const taken = signal<Partial<Record<SourceName, Draft>>>({})

/** What the chosen source has given; undefined as long as it has given nothing. */
export const draft = computed<Draft | undefined>(() =>
  source.value === 'text' ? { from: 'text', text: text.value } : taken.value[source.value],
)

/** A file was chosen, a frame or a reading taken. */
export function take(given: Exclude<Draft, { from: 'text' }>): void {
  taken.value = { ...taken.value, [given.from]: given }
}

/** The payload of the newest successful call of the visitor's own: what `mutate` starts from. */
export const lastPayload = signal<Uint8Array<ArrayBuffer> | undefined>(undefined)

/** The draft as bytes; not a copy for files. */
export const draftBytes = computed<Uint8Array<ArrayBuffer> | undefined>(() => {
  const { value } = draft
  return value?.from === 'text' ? new TextEncoder().encode(value.text) : value?.bytes
})

/** Why the draft is no JSON object; undefined when it is one, or was never meant to be. Any bytes can be annotated. */
export const jsonProblem = computed<string | undefined>(() => {
  try {
    JSON.parse(text.value)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
})

/** Whether the draft differs from the last payload: only then is there something to say with `mutate`. */
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
    // Storage may be forbidden; the text then lasts as long as the page.
  }
})

function kept(): string {
  try {
    return localStorage.getItem(NAME) ?? SAMPLE
  } catch {
    return SAMPLE
  }
}
