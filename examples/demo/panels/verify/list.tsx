import type { Trouble, Verdict, Verified } from '../../protocol.ts'
import { pick } from '../../state/editing.ts'
import { payloadNameOf } from '../../state/payloads.ts'
import { signerNameOf } from '../../state/signers.ts'
import { pickedAt } from '../../state/verdicts.ts'
import { Answer, Button } from '../../ui/controls.tsx'
import { useHeld } from '../../ui/held.ts'
import { count, millis, short } from '../../ui/text.ts'

/**
 * Maximum numbers of rows drawn. While verdicts arrive, a few more than are visible suffice. While the list
 * is held, the visitor can scroll through many.
 */
const ROWS = { running: 14, held: 200 }
/** Number of rows that Page Up and Page Down skip. */
const PAGE = 8

/** Shows verdicts, newest first, in a list box: one stop for the Tab key, arrows inside. */
export function VerdictList({ verdicts }: { readonly verdicts: readonly Verdict[] }) {
  const { shown, isHeld, pause, showNewest, holding } = useHeld(verdicts)
  const rows = shown.slice(0, isHeld ? ROWS.held : ROWS.running)
  const newer = (verdicts[0]?.at ?? 0) - (shown[0]?.at ?? 0)
  const active = rows.some(({ at }) => at === pickedAt.value) ? `verdict-${pickedAt.value}` : undefined
  return (
    <div class="verdict-side">
      <div class="verdict-state">
        <span class="quiet">{isHeld ? 'Paused while you look.' : 'Newest first.'}</span>
        {isHeld && newer > 0 ? (
          <Button kind="quiet" onClick={showNewest}>
            Show {count(newer)} newer
          </Button>
        ) : (
          <Button kind="quiet" onClick={pause}>
            Pause
          </Button>
        )}
      </div>
      <div
        {...holding}
        class="verdicts"
        role="listbox"
        aria-label="Verified and rejected messages, newest first"
        tabIndex={0}
        aria-activedescendant={active}
        onKeyDown={(event) => {
          const target = targetOf(event.key, rows)
          if (!target) return
          event.preventDefault()
          pick(target)
          document.getElementById(`verdict-${target.at}`)?.scrollIntoView({ block: 'nearest' })
        }}
      >
        {rows.map((verdict) => (
          <Row key={verdict.at} verdict={verdict} />
        ))}
      </div>
    </div>
  )
}

/** Returns the row to which a key moves from the picked one. */
function targetOf(key: string, rows: readonly Verdict[]): Verdict | undefined {
  const now = rows.findIndex(({ at }) => at === pickedAt.peek())
  const last = rows.length - 1
  const to = {
    ArrowDown: now + 1,
    ArrowUp: now - 1,
    PageDown: now + PAGE,
    PageUp: now - PAGE,
    Home: 0,
    End: last,
    Enter: now,
    ' ': now,
  }[key]
  return to === undefined ? undefined : rows[Math.min(Math.max(to, 0), last)]
}

/** Shows a verdict in two lines of fixed height, so that no row moves another. */
function Row({ verdict }: { readonly verdict: Verdict }) {
  const isPicked = verdict.at === pickedAt.value
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list box has the focus and the keys, not its options
    // biome-ignore lint/a11y/useFocusableInteractive: the list box has the focus, not its options
    <div
      id={`verdict-${verdict.at}`}
      class={`verdict ${classOf(verdict)} ${isPicked ? 'picked' : ''}`}
      role="option"
      aria-selected={isPicked}
      onClick={() => pick(verdict)}
    >
      {'bundle' in verdict ? <Genuine verdict={verdict} /> : <Refused {...verdict.trouble} />}
    </div>
  )
}

function classOf(verdict: Verdict): string {
  if ('bundle' in verdict) return 'verified'
  return verdict.trouble.code === 'SIGNER_UNKNOWN' ? 'unsure' : 'rejected'
}

function Genuine({ verdict: { bundle, latencyMs } }: { readonly verdict: Verified }) {
  const { action, key, signer, annotations } = bundle
  const [name, signerName] = [payloadNameOf(key), signerNameOf(signer)]
  return (
    <>
      <span class="line">
        <strong>✓ {action}</strong>
        {name !== undefined && <span class="payload-name">{name}</span>}
        <code title={key}>{name === undefined ? short(key) : short(key, 6)}</code>
        <span class="numbers quiet" title="From the signer’s time stamp to the verdict">
          {/* Hide the latency of an earlier visit or of a signer with another clock: it has no meaning. */}
          {latencyMs > 0 && millis(latencyMs)}
        </span>
      </span>
      <span class="line">
        <span class="answers">
          {annotations.map(({ id, kind, isSatisfied }) => (
            <Answer key={id} kind={kind} isSatisfied={isSatisfied} />
          ))}
        </span>
        <span class="quiet signer" title={signer}>
          by {signerName !== undefined && <b>{signerName}</b>} <code>{short(signer, 6)}</code>
        </span>
      </span>
    </>
  )
}

function Refused({ code, message }: Trouble) {
  return (
    <>
      <span class="line">
        <strong>{code === 'SIGNER_UNKNOWN' ? '? unknown signer' : '✗ rejected'}</strong>
        <code>{code}</code>
      </span>
      <span class="line">
        <span class="quiet reason" title={message}>
          {message}
        </span>
      </span>
    </>
  )
}
