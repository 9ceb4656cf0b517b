import { Panel } from '../../ui/panel.tsx'
import { Actions } from './actions.tsx'
import { Annotators } from './annotators.tsx'
import { KeyCard } from './key.tsx'
import { Source } from './source.tsx'

/** Shows the payload, the annotators and the key of a call, and a button for each action. */
export function MakePanel() {
  return (
    <Panel
      id="make"
      title="Make"
      lead="Take some data, choose what to say about it, and sign it. The payload never leaves this page."
    >
      <Source />
      <Annotators />
      <KeyCard />
      <Actions />
    </Panel>
  )
}
