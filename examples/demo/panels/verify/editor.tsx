import { useRef } from 'preact/hooks'
import { inspection, isAltered, loaded, message, suspect, text, write } from '../../state/tool.ts'
import { size } from '../../ui/text.ts'
import { isClassic } from './checking.ts'
import { loadPasted } from './given.ts'
import { marked, markedAt, type Piece } from './marked.ts'
import { Pieces } from './pieces.tsx'

/** The message, to be edited, with what is not as it was marked: behind the text, which is transparent there. */
export function Editor() {
  const marks = useRef<HTMLPreElement>(null)
  return (
    <div class="message-bytes">
      <div class="block-head">
        <h3 id="message-title">{text.value === '' ? 'Message' : titleOf()}</h3>
        <span class="quiet numbers">{details()}</span>
      </div>
      <div class="marked-editor">
        <pre class="marks" aria-hidden="true" ref={marks}>
          <Pieces pieces={pieces()} />
          {'\n'}
        </pre>
        <textarea
          aria-label="Message"
          spellcheck={false}
          autocomplete="off"
          value={text.value}
          placeholder="Paste a message of any Alvarium SDK here, or drop a file: JSON, or CBOR in hexadecimal."
          onInput={({ currentTarget }) => {
            write(currentTarget.value)
            // A refused text leaves the field as it was.
            currentTarget.value = text.peek()
          }}
          onPaste={(event) => {
            if (loadPasted(event)) event.preventDefault()
          }}
          onScroll={({ currentTarget }) => {
            if (marks.current) marks.current.scrollTop = currentTarget.scrollTop
          }}
        />
      </div>
    </div>
  )
}

function titleOf(): string {
  const { name } = loaded.value
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}${isAltered.value ? ', altered' : ''}`
}

/** What the message is, as far as can be told: `bundle, JSON, 682 bytes`. */
function details(): string {
  if (text.value === '' || !inspection.value) return ''
  const { kind, encoding } = inspection.value
  const named = kind === 'unknown' ? 'of no known kind' : isClassic(kind) ? `${kind} SDK` : kind
  return `${named}, ${encoding}, ${size(message.value.length)}`
}

/** What the visitor has altered; in a message that came as it is, what the failing check points to. */
function pieces(): Piece[] {
  const now = text.value
  if (now !== loaded.value.text) return marked(loaded.value.text, now)
  return suspect.value ? markedAt(now, suspect.value) : [{ text: now, isChanged: false }]
}
