import { picked } from '../../state/tamper.ts'
import { verdictCounts, verdicts } from '../../state/verdicts.ts'
import { Empty, Panel } from '../../ui/panel.tsx'
import { count } from '../../ui/text.ts'
import { VerdictList } from './list.tsx'
import { Picked } from './picked.tsx'

/** What the other side makes of it, and what it makes of a message that somebody has altered. */
export function VerifyPanel() {
  const { verified, rejected } = verdictCounts.value
  return (
    <Panel
      id="verify"
      number="3"
      title="Verify"
      lead="Another worker, which knows only the public key, checks every message that comes. Pick one, and try to fool it."
      aside={
        <p class="quiet numbers">
          {count(verified)} verified, {count(rejected)} rejected
        </p>
      }
    >
      {verdicts.value.length === 0 ? (
        <Empty title="Nothing has come yet">
          Sign something above: it shows up here once it has been verified.
        </Empty>
      ) : (
        <div class="verifying">
          <VerdictList verdicts={verdicts.value} />
          {picked.value ? (
            <Picked verdict={picked.value} />
          ) : (
            <Empty title="Pick a message">
              All its fields are then here. Alter any of them, and see which check notices.
            </Empty>
          )}
        </div>
      )}
    </Panel>
  )
}
