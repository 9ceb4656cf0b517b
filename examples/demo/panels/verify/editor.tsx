import { useRef } from 'preact/hooks'
import { write } from '../../state/editing.ts'
import {
  inspection,
  isAltered,
  isComparable,
  isEmpty,
  loaded,
  message,
  suspect,
  text,
  textKind,
} from '../../state/tool.ts'

import { size } from '../../ui/text.ts'
import { isClassic } from './checking.ts'
import { caret, FieldBar, fieldAtPointer, pointer } from './field-bar.tsx'
import { loadPasted } from './given.ts'
import { marked, markedAt, type Piece, pointedAt } from './marked.ts'
import { Pieces } from './pieces.tsx'
import { rangeOf } from './pointed.ts'

/** Edits the message. A layer behind the field, with the same text made transparent, marks the alterations. */
export function Editor() {
  const marks = useRef<HTMLPreElement>(null)
  return (
    <div class="message-bytes">
      <div class="block-head">
        <h3 id="message-title" tabIndex={-1}>
          {isEmpty.value ? 'Message' : titleOf()}
        </h3>
        <span class="quiet numbers">{details()}</span>
      </div>
      <div class="marked-editor">
        <pre class="marks" aria-hidden="true" ref={marks}>
          <Pieces
            pieces={fieldAtPointer.value ? pointedAt(pieces(), rangeOf(fieldAtPointer.value)) : pieces()}
          />
          {'\n'}
        </pre>
        <textarea
          aria-label="Message"
          spellcheck={false}
          autocomplete="off"
          value={text.value}
          placeholder="Paste a message of any Alvarium SDK here, or anything else: it is looked at first."
          onInput={({ currentTarget }) => {
            write(currentTarget.value)
            // Restore the field after a refused text.
            currentTarget.value = text.peek()
          }}
          onPaste={(event) => {
            if (loadPasted(event)) event.preventDefault()
          }}
          onPointerMove={({ clientX, clientY }) => {
            pointer.value = placeAt(clientX, clientY)
          }}
          onPointerLeave={() => {
            pointer.value = undefined
          }}
          onKeyUp={({ currentTarget }) => {
            caret.value = currentTarget.selectionStart
          }}
          onClick={({ currentTarget }) => {
            caret.value = currentTarget.selectionStart
          }}
          onScroll={({ currentTarget }) => {
            if (marks.current) marks.current.scrollTop = currentTarget.scrollTop
          }}
        />
      </div>
      <FieldBar />
    </div>
  )
}

/** Returns the position in the message's text at these coordinates, if the browser supports that. */
function placeAt(x: number, y: number): number | undefined {
  const found = document.caretPositionFromPoint?.(x, y)
  return found?.offsetNode instanceof HTMLTextAreaElement ? found.offset : undefined
}

function titleOf(): string {
  const { name } = loaded.value
  const altered = isAltered.value && isComparable.value ? ', altered' : ''
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}${altered}`
}

/** Describes the message, as far as it is recognized: `bundle, JSON, 682 bytes`. */
function details(): string {
  if (text.value === '' || !inspection.value) return ''
  const { kind, encoding } = inspection.value
  if (textKind.value.is === 'other') return size(message.value.length)
  const named = kind === 'unknown' ? 'of no known kind' : isClassic(kind) ? `${kind} SDK` : kind
  return `${named}, ${encoding}, ${size(message.value.length)}`
}

/**
 * Returns the text with marked parts: the visitor's alterations, if the original has verified and was
 * altered; otherwise the field that the failed check names.
 */
function pieces(): Piece[] {
  const now = text.value
  if (isComparable.value && now !== loaded.value.text) return marked(loaded.value.text, now)
  return suspect.value ? markedAt(now, suspect.value) : [{ text: now, isChanged: false }]
}
