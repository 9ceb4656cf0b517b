import { isChanged, lastPayload } from '../../state/draft.ts'
import { annotate, isBusy, makingTrouble, underWay } from '../../state/making.ts'
import { start } from '../../state/start.ts'
import { Button, Problem } from '../../ui/controls.tsx'

/** The four calls of the SDK. */
export function Actions() {
  const isWaiting = !start.value.isReady || isBusy.value
  const trouble = makingTrouble.value
  return (
    <div class="actions">
      <div class="row">
        <Button
          kind="primary"
          isDisabled={isWaiting}
          title="It came into being here"
          onClick={() => annotate('create')}
        >
          Create
        </Button>
        <Button
          isDisabled={isWaiting || !isChanged.value}
          title="It was made from the payload before: edit that one first"
          onClick={() => annotate('mutate')}
        >
          Mutate
        </Button>
        <Button isDisabled={isWaiting} title="It arrived here unchanged" onClick={() => annotate('transit')}>
          Transit
        </Button>
        <Button isDisabled={isWaiting} title="It is handed on" onClick={() => annotate('publish')}>
          Publish
        </Button>
      </div>
      <p class="quiet small">{hint()}</p>
      {trouble && <Problem {...trouble} />}
    </div>
  )
}

function hint(): string {
  if (underWay.value > 0) return 'Waiting until the message is accepted.'
  if (!lastPayload.value) return 'Create: the payload comes into being here. Edit it afterwards to mutate.'
  if (!isChanged.value) return 'Edit the payload to mutate: the new one is then linked to the one before.'
  return 'Mutate: this payload was made from the one before. Create: it has nothing to do with it.'
}
