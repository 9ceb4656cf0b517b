import { scores } from '../../state/scores.ts'
import { Empty, Panel } from '../../ui/panel.tsx'
import { History } from './history.tsx'
import { Payloads } from './payloads.tsx'
import { Weights } from './weights.tsx'

/** How far to trust a payload, in a number, by weights that are everybody's own. */
export function ScorePanel() {
  const { history } = scores.value
  return (
    <Panel
      id="score"
      title="Score"
      lead="A confidence score per payload: the weight of the satisfied answers over the weight of all of them. What weighs how much is for you to say."
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
