import { useSignal } from '@preact/signals'
import { load, pick } from '../../state/editing.ts'
import { isEmpty, problem } from '../../state/tool.ts'
import { verdicts } from '../../state/verdicts.ts'
import { Button } from '../../ui/controls.tsx'
import { attempt, loadFile } from './given.ts'
import { OfferPanel } from './offered.tsx'
import { SampleChoice } from './samples.tsx'

/** Opens inputs: files of any kind in one area, the newest message of this page, and samples. */
export function Open() {
  return (
    <div class="opening">
      <DropArea />
      <div class="row">
        <Button isDisabled={verdicts.value.length === 0} onClick={pickNewest}>
          This page’s newest
        </Button>
        <SampleChoice />
        <Button isDisabled={isEmpty.value} onClick={clear}>
          Clear
        </Button>
      </div>
      <OfferPanel />
      {problem.value && (
        <p class="absent" role="alert">
          {problem.value}
        </p>
      )}
    </div>
  )
}

/** Loads a chosen file. `verify.tsx` loads dropped files, except those in the area for payloads. */
function DropArea() {
  const isOver = useSignal(false)
  const enter = () => {
    isOver.value = true
  }
  const leave = () => {
    isOver.value = false
  }
  return (
    <label
      class={`drop-any ${isOver.value ? 'over' : ''}`}
      onDragOver={enter}
      onDragLeave={leave}
      onDrop={leave}
    >
      <input
        type="file"
        class="hidden"
        aria-label="File to look at"
        onChange={({ currentTarget }) => {
          takeFile(currentTarget.files?.[0])
          currentTarget.value = ''
        }}
      />
      <strong>Drop a file, or click to choose one</strong>
      <span class="quiet small">A message, key, trust policy, lease, set, proof or evidence pack.</span>
    </label>
  )
}

function pickNewest(): void {
  const [newest] = verdicts.value
  if (newest) pick(newest)
}

function clear(): void {
  load({ name: '', text: '', keys: '' })
}

/** Loads a file that the visitor has dropped on the page or chosen. */
export async function takeFile(file: File | undefined): Promise<void> {
  if (file) await attempt(() => loadFile(file))
}
