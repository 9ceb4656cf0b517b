import { useSignal } from '@preact/signals'
import { draft, take } from '../../state/draft.ts'
import { size } from '../../ui/text.ts'

/** A file, dropped or chosen. It is read here and goes nowhere. */
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
        onChange={({ currentTarget }) => open(currentTarget.files?.[0])}
      />
      <strong>{value?.from === 'file' ? value.name : 'Drop a file, or click to choose one'}</strong>
      <span class="quiet">
        {value?.from === 'file' ? size(value.bytes.length) : 'Read here, hashed here: it is not uploaded'}
      </span>
    </label>
  )
}

async function open(file: File | undefined): Promise<void> {
  if (file) take({ from: 'file', name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) })
}
