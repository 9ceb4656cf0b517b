import { asked } from '../../state/asked.ts'
import { draft } from '../../state/draft.ts'
import { lastAction } from '../../state/making.ts'
import { hasBroker, place } from '../../state/place.ts'
import { callAsCode, type Made } from './code.ts'

/** Shows the newest call as code. Before the first call, shows a `create`. */
export function CallAsCode() {
  const { value } = draft
  if (!value) return null
  const payload: Made['payload'] = value.from === 'text' ? { text: value.text } : { file: value.name }
  const code = callAsCode({
    action: lastAction.value,
    asked: asked.value,
    payload,
    ...(hasBroker && { broker: place.url }),
  })
  return (
    <details class="as-code">
      <summary>As code</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reachable with the keyboard */}
      <section class="bytes code" tabIndex={0} aria-label="The call as code">
        <pre>{code}</pre>
      </section>
    </details>
  )
}
