import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { waiting } from '../../state/making.ts'
import { MOST_WAITING } from '../../transport/transport.ts'
import { count, size } from '../../ui/text.ts'

const SECOND_MS = 1000

/** Shows the waiting calls: their number, their bytes, and the time since the oldest. */
export function Figures() {
  const { calls, bytes, oldestSince } = waiting.value
  const now = useSignal(Date.now())
  useEffect(() => {
    const timer = setInterval(() => {
      now.value = Date.now()
    }, SECOND_MS)
    return () => clearInterval(timer)
  }, [now])
  const seconds = oldestSince === undefined ? 0 : Math.max(0, (now.value - oldestSince) / SECOND_MS)
  return (
    <dl class="queue-figures">
      <div>
        <dt>waiting</dt>
        <dd>
          {count(calls)} <span class="quiet">of at most {count(MOST_WAITING)}</span>
        </dd>
      </div>
      <div>
        <dt>in bytes</dt>
        <dd>{size(bytes)}</dd>
      </div>
      <div>
        <dt>oldest</dt>
        <dd>{oldestSince === undefined ? 'none' : `${count(seconds)} s`}</dd>
      </div>
    </dl>
  )
}
