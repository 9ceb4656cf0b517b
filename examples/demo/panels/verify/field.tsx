import { MAX_TEXT } from '../../state/tool.ts'
import { compare, type Piece } from './marked.ts'
import { Pieces } from './pieces.tsx'

interface Props {
  readonly id: string
  readonly name: string
  /** Unique name of the field, such as `isSatisfied of annotation 1`. */
  readonly fullName: string
  readonly before: string
  readonly now: string
  /** Handler of edits; absent for values that can be flipped, not edited. */
  readonly onEdit?: (text: string) => void
  readonly onFlip: () => void
  readonly onUndo: () => void
}

/** Edits a field. The previous value is in the line of its name, so that nothing below moves. */
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
            // Restore the field after a refused text.
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

/** Maximum number of characters in the line of a name, besides the ellipsis. */
const MAX_ENDING = 16

/** Returns the end of the previous value, where a change shows, with the change marked. */
function endOf(before: string, now: string): Piece[] {
  if (before.length <= MAX_ENDING) return compare(now, before)
  const ends = compare(now.slice(-MAX_ENDING), before.slice(-MAX_ENDING))
  return [{ text: '…', isChanged: false }, ...ends]
}
