import { load, pick, problem, text } from '../../state/tool.ts'
import { verdicts } from '../../state/verdicts.ts'
import { Button, FileButton } from '../../ui/controls.tsx'
import { bytesIn } from '../../ui/text.ts'
import { attempt, loadFile } from './given.ts'

/** The samples, by what people call them; their bytes come when one is wanted. */
const SAMPLES = {
  'Other SDKs': ['Go SDK', 'Java SDK', 'Rust SDK', 'Python SDK'],
  'This SDK': ['Bundle', 'Batch', 'Extracted bundle', 'CBOR'],
} as const

/** Where messages come from: a file of the visitor's own first, then this page and other SDKs. */
export function Open() {
  return (
    <div class="opening">
      <div class="row">
        <FileButton kind="primary" label="Message as a file" onChoose={take}>
          Open a file
        </FileButton>
        <Button isDisabled={verdicts.value.length === 0} onClick={pickNewest}>
          This page’s newest
        </Button>
        <Samples />
        <Button isDisabled={text.value === ''} onClick={clear}>
          Clear
        </Button>
      </div>
      {problem.value && (
        <p class="absent" role="alert">
          {problem.value}
        </p>
      )}
    </div>
  )
}

function Samples() {
  return (
    <select
      aria-label="Sample"
      value=""
      onChange={({ currentTarget }) => {
        openSample(currentTarget.value)
        currentTarget.value = ''
      }}
    >
      <option value="">A sample</option>
      {Object.entries(SAMPLES).map(([group, names]) => (
        <optgroup key={group} label={group}>
          {names.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </optgroup>
      ))}
    </select>
  )
}

function pickNewest(): void {
  const [newest] = verdicts.value
  if (newest) pick(newest)
}

function clear(): void {
  load({ name: '', text: '', keys: '' })
}

function openSample(name: string): Promise<void> {
  return attempt(async () => {
    const { default: samples } = await import('#samples').catch((cause) => {
      throw new Error('The samples did not load: load the page again.', { cause })
    })
    const sample = samples.find((one) => one.name === name)
    return () => {
      if (sample) load({ ...sample, name: `${name} sample`, payload: bytesIn(sample.payload) })
    }
  })
}

/** A file that was dropped on the tool, or chosen. */
export async function take(file: File | undefined): Promise<void> {
  if (file) await attempt(() => loadFile(file))
}
