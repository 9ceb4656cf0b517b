import { MAX_TEXT } from '../../state/tool.ts'
import { compare, type Piece } from './marked.ts'
import { Pieces } from './pieces.tsx'

interface Props {
  readonly id: string
  readonly name: string
  /** The name among all fields: there are several annotations. */
  readonly fullName: string
  readonly before: string
  readonly now: string
  /** Absent: it can be flipped, not edited. */
  readonly onEdit?: (text: string) => void
  readonly onFlip: () => void
  readonly onUndo: () => void
}

/** Shows a field with its value, to be altered. The value before is in the line of its name, so that nothing below moves. */
export function Field({ id, name, fullName, before, now, onEdit, onFlip, onUndo }: Props) {
  const isChanged = before !== now
  return (
    <div class={`tamper-field ${isChanged ? 'changed' : ''} field-${name}`}>
      <div class="tamper-head">
        <label for={`field-${id}`}>{name}</label>
        {isChanged && (
          <span class="was" title={before}>
            was <code>{before === '' ? '(empty)' : <Pieces pieces={endOf(before, now)} />}</code>
          </span>
        )}
      </div>
      <div class="tamper-value">
        <input
          id={`field-${id}`}
          aria-label={fullName}
          value={now}
          readOnly={!onEdit}
          spellcheck={false}
          autocomplete="off"
          onInput={({ currentTarget }) => {
            const { value } = currentTarget
            onEdit?.(value)
            // A refused text leaves the field as it was.
            if (value.length > MAX_TEXT) currentTarget.value = now
          }}
        />
        <button
          type="button"
          class="button quiet"
          aria-label={`${isChanged ? 'Undo' : 'Flip'} ${fullName}`}
          onClick={() => (isChanged ? onUndo() : onFlip())}
        >
          {isChanged ? 'Undo' : 'Flip'}
        </button>
      </div>
    </div>
  )
}

/** Characters that fit in the line of a name. */
const MAX_ENDING = 16

/** Returns the end of the value before, where a change shows, with what has changed in it. */
function endOf(before: string, now: string): Piece[] {
  if (before.length <= MAX_ENDING) return compare(now, before)
  const ends = compare(now.slice(-MAX_ENDING), before.slice(-MAX_ENDING))
  return [{ text: '…', isChanged: false }, ...ends]
}
