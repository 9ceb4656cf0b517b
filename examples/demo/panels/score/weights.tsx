import { kinds, weigh, weightOf, weights } from '../../state/scores.ts'
import { Button } from '../../ui/controls.tsx'

const MOST = 10

export function Weights() {
  return (
    <div class="weights">
      <div class="block-head">
        <h3>Weights</h3>
        <Button
          kind="quiet"
          isDisabled={Object.keys(weights.value).length === 0}
          onClick={() => {
            weights.value = {}
          }}
        >
          Reset weights
        </Button>
      </div>
      {kinds.value.length === 0 && <p class="quiet small">No annotator has answered yet.</p>}
      {kinds.value.map((kind) => (
        <Weight key={kind} kind={kind} />
      ))}
    </div>
  )
}

function Weight({ kind }: { readonly kind: string }) {
  const weight = weightOf(kind)
  return (
    <label class="weight">
      <code>{kind}</code>
      <input
        type="range"
        min="0"
        max={MOST}
        step="0.5"
        value={weight}
        aria-label={`Weight of ${kind}`}
        onInput={(event) => weigh(kind, event.currentTarget.valueAsNumber)}
      />
      <output>{weight}</output>
    </label>
  )
}
