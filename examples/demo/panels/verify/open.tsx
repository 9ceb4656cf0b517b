import { signal } from '@preact/signals'
import { load, pick, text } from '../../state/tool.ts'
import { verdicts } from '../../state/verdicts.ts'
import { Button } from '../../ui/controls.tsx'
import { bytesIn } from '../../ui/text.ts'
import { loadFile } from './given.ts'

/** What went wrong in opening something. */
const problem = signal('')

/** The samples, by what people call them; their bytes come when one is wanted. */
const SAMPLES = {
  'Other SDKs': ['Go SDK', 'Java SDK', 'Rust SDK', 'Python SDK'],
  'This SDK': ['Bundle', 'Batch', 'Extracted bundle', 'CBOR'],
} as const

/** Where messages come from: this page, other SDKs, a file, the clipboard. */
export function Open() {
  return (
    <div class="opening">
      <div class="row">
        <Button isDisabled={verdicts.value.length === 0} onClick={pickNewest}>
          This page’s newest
        </Button>
        <Samples />
        <label class="button file">
          <input
            type="file"
            class="hidden"
            aria-label="Message as a file"
            onChange={({ currentTarget }) => take(currentTarget.files?.[0])}
          />
          File…
        </label>
        <Button isDisabled={text.value === ''} onClick={clear}>
          Clear
        </Button>
      </div>
      {problem.value && <p class="absent">{problem.value}</p>}
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
      <option value="">Sample of …</option>
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
    if (sample) load({ ...sample, name: `${name} sample`, payload: bytesIn(sample.payload) })
  })
}

/** A file that was dropped on the tool, or chosen. */
export function take(file: File | undefined): Promise<void> {
  return attempt(async () => {
    if (file) await loadFile(file)
  })
}

/** What goes wrong is said in the tool: an unreadable file, a network that is away. */
async function attempt(open: () => Promise<void>): Promise<void> {
  problem.value = ''
  try {
    await open()
  } catch (error) {
    problem.value = error instanceof Error ? error.message : String(error)
  }
}
