import { percent, scores } from '../../state/scores.ts'
import { pickedAt, pickedVerdict } from '../../state/verdicts.ts'
import { Button } from '../../ui/controls.tsx'
import { useHeld } from '../../ui/held.ts'
import { short } from '../../ui/text.ts'
import { newestOf } from './newest.ts'

/** Payloads in the list, the newest. */
const MOST = 50
/** As many as fit: the rest is drawn once somebody looks. */
const RUNNING = 8

/** Each payload's score now, as a bar. */
export function Payloads() {
  const { shown, isHeld, showNewest, holding } = useHeld(scores.value.history)
  const rows = newestOf(shown, isHeld ? MOST : RUNNING)
  const isBehind = isHeld && shown.at(-1)?.at !== scores.value.history.at(-1)?.at
  return (
    <div class="payloads">
      <div class="block-head payloads-head">
        <h3>Payloads</h3>
        {isBehind ? (
          <Button kind="quiet" onClick={showNewest}>
            Show newer
          </Button>
        ) : (
          <span class="quiet">newest first</span>
        )}
      </div>
      <div {...holding} class="payload-rows">
        <ul>
          {rows.map(({ key, at }) => (
            <Row key={key} payloadKey={key} at={at} />
          ))}
        </ul>
      </div>
    </div>
  )
}

function Row({ payloadKey, at }: { readonly payloadKey: string; readonly at: number }) {
  const { confidence } = scores.value
  const { score, bundles } = confidence.payload(payloadKey)
  const isAnswered = bundles.some(({ annotations }) => annotations.length > 0)
  const { value } = pickedVerdict
  const isPicked = value !== undefined && 'bundle' in value && value.bundle.key === payloadKey
  return (
    <li class={`payload-row ${isPicked ? 'picked' : ''}`}>
      <button
        type="button"
        class="button quiet"
        aria-pressed={isPicked}
        title={payloadKey}
        onClick={() => {
          pickedAt.value = at
          document.getElementById('verify')?.scrollIntoView({ block: 'start' })
        }}
      >
        <code>{short(payloadKey, 6)}</code>
      </button>
      <svg class="bar" aria-hidden="true">
        <rect class="track" width="100%" height="100%" rx="3" />
        <rect class="filled" width={`${score * 100}%`} height="100%" rx="3" />
      </svg>
      <b class="numbers">{isAnswered ? percent(score) : 'no answers'}</b>
      <Sources payloadKey={payloadKey} />
    </li>
  )
}

/** A result is hardly better than the worst that it was made from. */
function Sources({ payloadKey }: { readonly payloadKey: string }) {
  const sources = scores.value.confidence.lineage(payloadKey)
  const heard = sources.filter(({ bundles }) => bundles.some(({ annotations }) => annotations.length > 0))
  if (sources.length === 0) return null
  return (
    <span class="quiet sources">
      {heard.length === 0
        ? 'made from what nobody has vouched for here'
        : `lowest of its ${sources.length === 1 ? 'source' : `${sources.length} sources`}: ${percent(Math.min(...heard.map(({ score }) => score)))}`}
    </span>
  )
}
