import { signal, useSignal } from '@preact/signals'
import { draft, take } from '../../state/draft.ts'
import { bytesOf, LONGEST_PAYLOAD, opener } from '../../ui/files.ts'
import { size } from '../../ui/text.ts'

const problem = signal('')
const attempt = opener(problem)

/** Reads a file that the visitor drops or chooses. The page sends the file nowhere. */
export function FileSource() {
  const isOver = useSignal(false)
  const { value } = draft
  return (
    <label
      class={`drop ${isOver.value ? 'over' : ''}`}
      onDragOver={(event) => {
        event.preventDefault()
        isOver.value = true
      }}
      onDragLeave={() => {
        isOver.value = false
      }}
      onDrop={(event) => {
        event.preventDefault()
        isOver.value = false
        open(event.dataTransfer?.files[0])
      }}
    >
      <input
        type="file"
        class="hidden"
        aria-label="Payload as a file"
        onChange={({ currentTarget }) => {
          open(currentTarget.files?.[0])
          // Clear the value, so that the same file can be chosen again after a change.
          currentTarget.value = ''
        }}
      />
      <strong>{value?.from === 'file' ? value.name : 'Drop a file, or click to choose one'}</strong>
      <span class="quiet">
        {value?.from === 'file' ? size(value.bytes.length) : 'Read here, hashed here: it is not uploaded'}
      </span>
      {problem.value && (
        <span class="absent" role="alert">
          {problem.value}
        </span>
      )}
    </label>
  )
}

function open(file: File | undefined): void {
  if (!file) return
  attempt(async () => {
    const bytes = await bytesOf(file, LONGEST_PAYLOAD)
    return () => take({ from: 'file', name: file.name, bytes })
  })
}
