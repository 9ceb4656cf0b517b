import { load } from '../../state/editing.ts'
import { Button } from '../../ui/controls.tsx'
import { bytesIn } from '../../ui/text.ts'
import { attempt } from './given.ts'

/** Samples by name; their bytes are loaded on demand. */
const SAMPLES = {
  'Other SDKs': ['Go SDK', 'Java SDK', 'Rust SDK', 'Python SDK'],
  'This SDK': ['Bundle', 'Batch', 'Extracted bundle', 'CBOR'],
  'With a trust policy': ['Policy that allows it', 'Policy that revokes its signer'],
} as const

export function SampleChoice() {
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

/** Offers three samples to a visitor without a message. */
export function ThreeSamples() {
  return (
    <div class="row">
      {['Bundle', 'Go SDK', 'Policy that revokes its signer'].map((name) => (
        <Button key={name} onClick={() => openSample(name)}>
          Try: {name}
        </Button>
      ))}
    </div>
  )
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
