import type { Verdict } from '../../protocol.ts'
import { changed, edits, genuinePayload, sent, undoAll } from '../../state/tamper.ts'
import { Button } from '../../ui/controls.tsx'
import { millis, short } from '../../ui/text.ts'
import { Checks } from './checks.tsx'
import { Fields } from './fields.tsx'
import { PayloadField } from './payload.tsx'
import { Pieces } from './pieces.tsx'
import { Send } from './send.tsx'
import { piecesOf } from './tampering.ts'

/** One message: what the checks say, all of its fields, its bytes. All of it can be altered. */
export function Picked({ verdict }: { readonly verdict: Verdict }) {
  const isAltered = changed.value.length > 0
  return (
    <div class="picked-message">
      <div class="block-head">
        <h3>
          {'bundle' in verdict ? (
            <>
              {verdict.bundle.action} <code title={verdict.bundle.key}>{short(verdict.bundle.key)}</code>
            </>
          ) : (
            'A rejected message'
          )}
        </h3>
        <span class="quiet">{subtitle(verdict)}</span>
      </div>
      <Checks />
      <div class="row tamper-actions">
        <Button isDisabled={!isAltered} onClick={undoAll}>
          Undo
        </Button>
        <Send />
      </div>
      <Fields message={verdict.message} />
      {genuinePayload.value && <PayloadField genuine={genuinePayload.value} />}
      <div class="message-bytes">
        <h4>The message{edits.value.size > 0 ? ', altered' : ''}</h4>
        <pre class="bytes">
          <Pieces pieces={piecesOf(verdict.message, edits.value)} />
        </pre>
      </div>
    </div>
  )
}

function subtitle(verdict: Verdict): string {
  if (changed.value.length > 0) return sent.value ? 'altered, and sent' : 'altered, here only'
  const latency = 'bundle' in verdict ? `, verified after ${millis(verdict.latencyMs)}` : ''
  return `message ${verdict.at}${latency}`
}
