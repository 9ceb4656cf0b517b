import { nameOf } from 'alvarium-sdk/score'
import { payloadNameOf } from '../../state/payloads.ts'
import { isAnswered, percent, type Scored, scores } from '../../state/scores.ts'
import { pickedAt, pickedVerdict } from '../../state/verdicts.ts'
import { Button } from '../../ui/controls.tsx'
import { useHeld } from '../../ui/held.ts'
import { bringIntoView } from '../../ui/panel.tsx'
import { short } from '../../ui/text.ts'
import { newestOf } from './newest.ts'

/** Maximum number of payloads in the list. Older payloads are left out. */
const MOST = 50
/** Number of rows that fit. The others are drawn while the pointer or focus is in the list. */
const RUNNING = 8

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
          {rows.map((row) => (
            <Row key={nameOf(row)} payload={row} />
          ))}
        </ul>
      </div>
    </div>
  )
}

function Row({ payload }: { readonly payload: Scored }) {
  const score = scores.value.scoreOf(payload)
  const { value } = pickedVerdict
  const name = payloadNameOf(payload.key)
  const isPicked = value !== undefined && 'bundle' in value && nameOf(value.bundle) === nameOf(payload)
  return (
    <li class={`payload-row ${isPicked ? 'picked' : ''}`}>
      <button
        type="button"
        class="button quiet"
        aria-pressed={isPicked}
        title={payload.key}
        onClick={() => {
          pickedAt.value = payload.at
          bringIntoView('verify')
        }}
      >
        {name === undefined ? <code>{short(payload.key, 6)}</code> : <span class="payload-name">{name}</span>}
      </button>
      <svg class="bar" aria-hidden="true">
        <rect class="track" width="100%" height="100%" rx="3" />
        <rect class="filled" width={`${score * 100}%`} height="100%" rx="3" />
      </svg>
      <b class="numbers">{isAnswered(payload) ? percent(score) : 'no answers'}</b>
      <Sources payload={payload} />
    </li>
  )
}

/**
 * Shows the lowest score of a payload's sources, because a payload deserves hardly more trust than its
 * sources.
 */
function Sources({ payload }: { readonly payload: Scored }) {
  const { graph, scoreOf } = scores.value
  const sources = [...graph.lineage(payload)].filter(({ depth }) => depth > 0)
  const heard = sources.filter(isAnswered)
  if (sources.length === 0) return null
  return (
    <span class="quiet sources">
      {heard.length === 0
        ? 'made from what nobody has vouched for here'
        : `lowest of its ${sources.length === 1 ? 'source' : `${sources.length} sources`}: ${percent(Math.min(...heard.map(scoreOf)))}`}
    </span>
  )
}
