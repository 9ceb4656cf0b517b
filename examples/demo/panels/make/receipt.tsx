import type { Flow, Verdict } from '../../protocol.ts'
import { makerConnection, receipt, underWay } from '../../state/making.ts'
import { payloadNameOf } from '../../state/payloads.ts'
import { hasBroker } from '../../state/place.ts'
import { pickedAt } from '../../state/verdicts.ts'
import { Button } from '../../ui/controls.tsx'
import { bringIntoView, moveFocus } from '../../ui/panel.tsx'
import { millis, short } from '../../ui/text.ts'

/** Shows the result of the newest call. Its space is reserved, so that nothing moves. */
export function ReceiptLine() {
  const { value } = receipt
  const isWaiting = underWay.value > 0 && makerConnection.value.state === 'offline'
  return (
    <div class="receipt" role="status">
      {isWaiting ? (
        <p>Signed, waiting for the {hasBroker ? 'broker' : 'verifier'}.</p>
      ) : value ? (
        <CallReceipt {...value} />
      ) : (
        <p class="quiet small">Nothing signed yet. The receipt of each call comes here.</p>
      )}
    </div>
  )
}

function CallReceipt({ flow, verdict }: { readonly flow: Flow; readonly verdict?: Verdict | undefined }) {
  const { key, annotations } = flow.bundle
  const yes = annotations.filter(({ isSatisfied }) => isSatisfied).length
  const isRefused = verdict !== undefined && 'trouble' in verdict
  return (
    <>
      <p>
        <strong class={isRefused ? 'refused' : ''}>{isRefused ? '✗' : '✓'} signed</strong>, accepted in{' '}
        {millis((flow.sealing.micros + flow.accepting.micros) / 1000)}, {verdictText(verdict)} · payload{' '}
        <Name payloadKey={key} /> · {yes} yes, {annotations.length - yes} no
      </p>
      {verdict && (
        <p class="receipt-links">
          <Open at={verdict.at} panel="verify">
            open in Verify
          </Open>
          <span aria-hidden="true">·</span>
          <Open at={verdict.at} panel="lineage">
            show in Lineage
          </Open>
        </p>
      )}
    </>
  )
}

function verdictText(verdict: Verdict | undefined): string {
  if (verdict === undefined) return 'not verified yet'
  return 'trouble' in verdict ? `rejected: ${verdict.trouble.code}` : 'verified'
}

function Name({ payloadKey }: { readonly payloadKey: string }) {
  const name = payloadNameOf(payloadKey)
  return (
    <>
      {name !== undefined && <strong>{name}</strong>} <code title={payloadKey}>{short(payloadKey, 6)}</code>
    </>
  )
}

interface OpenProps {
  readonly at: number
  readonly panel: 'verify' | 'lineage'
  readonly children: string
}

/** Picks the message in all panels, and scrolls to the panel that shows it. */
function Open({ at, panel, children }: OpenProps) {
  const open = () => {
    pickedAt.value = at
    bringIntoView(panel)
    if (panel === 'verify') moveFocus('message-title')
  }
  return (
    <Button kind="quiet" onClick={open}>
      {children}
    </Button>
  )
}
