import { computed, effect, signal } from '@preact/signals'
import { alter } from '../../state/editing.ts'
import { genuine, isComparable, loaded, members, text } from '../../state/tool.ts'
import { Button } from '../../ui/controls.tsx'
import { plainNameOf, plainValueOf } from './fields.tsx'
import { flipped } from './flip.ts'
import type { Value } from './leaves.ts'
import type { Member } from './members.ts'
import { memberAt } from './pointed.ts'

export const caret = signal<number | undefined>(undefined)
export const pointer = signal<number | undefined>(undefined)

/** Clear the positions for each new message: they belong to the previous text. */
effect(() => {
  void loaded.value.name
  caret.value = undefined
  pointer.value = undefined
})

const at = (place: number | undefined) => (place === undefined ? undefined : memberAt(members.value, place))

export const fieldAtPointer = computed(() => at(pointer.value) ?? at(caret.value))
/** Tapped field. The bar below the text shows it while the pointer moves to the bar. */
const fieldAtCaret = computed(() => at(caret.value))

/** Shows the field at the caret, and a button that alters it. Has the same height without a field. */
export function FieldBar() {
  const { value } = fieldAtCaret
  return (
    <fieldset class="field-bar">
      <legend class="hidden">Field of the message</legend>
      {value ? <Chosen member={value} /> : <p class="quiet small">{hint()}</p>}
    </fieldset>
  )
}

function hint(): string {
  if (text.value === '') return 'Fields can be altered here, once there is a message.'
  return members.value.length === 0
    ? 'There are no fields to show. Edit the bytes themselves.'
    : 'Click or tap a field in the message to alter it.'
}

function Chosen({ member }: { readonly member: Member }) {
  const { name, value, path } = member
  const before = isComparable.value ? genuine.value.find((one) => one.path === path)?.value : undefined
  const isAltered = before !== undefined && before !== value
  const next = isAltered ? before : flipped(name, value)
  return (
    <>
      <span class="field-name">
        <b>{plainNameOf(member)}</b> <code title={String(value)}>{ending(plainValueOf(member, value))}</code>
      </span>
      <Button onClick={() => alter(member, next)}>
        {isAltered ? 'Change back to ' : 'Change to '}
        <code>{ending(plainValueOf(member, next))}</code>
      </Button>
    </>
  )
}

/** Maximum number of characters in the bar. */
const MAX_ENDING = 14

/** Returns the end of a value, where a change shows. */
function ending(value: Value): string {
  const text = String(value)
  if (text === '') return '(empty)'
  return text.length > MAX_ENDING ? `…${text.slice(1 - MAX_ENDING)}` : text
}
