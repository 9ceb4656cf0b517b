import { scores } from '../../state/scores.ts'
import { Empty, Panel } from '../../ui/panel.tsx'
import { History } from './history.tsx'
import { Payloads } from './payloads.tsx'
import { Weights } from './weights.tsx'

/** Shows the trust in a payload as a number, with the visitor's own weights. */
export function ScorePanel() {
  const { history } = scores.value
  return (
    <Panel
      id="score"
      title="Score"
      lead="How far can I trust a payload? The weight of its satisfied annotations over the weight of all. You choose the weights."
    >
      {history.length === 0 ? (
        <Empty title="Nothing to score yet">
          Sign a payload: its answers count here once they are verified.
        </Empty>
      ) : (
        <>
          <Weights />
          <Payloads />
          <History history={history} />
        </>
      )}
    </Panel>
  )
}
