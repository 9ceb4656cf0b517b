import { draftBytes, isChanged, lastPayload, source } from '../../state/draft.ts'
import {
  annotate,
  isBusy,
  isCut,
  makerConnection,
  makingTrouble,
  underWay,
  waiting,
} from '../../state/making.ts'
import { start } from '../../state/start.ts'
import { Button, Problem } from '../../ui/controls.tsx'
import { count } from '../../ui/text.ts'
import { CallAsCode } from './as-code.tsx'
import { ReceiptLine } from './receipt.tsx'

export function Actions() {
  const isWaiting = !start.value.isReady || isBusy.value || !draftBytes.value
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
      <ReceiptLine />
      <Away />
      <CallAsCode />
      {trouble && <Problem {...trouble} />}
    </div>
  )
}

const FIRST = {
  file: 'Choose a file first: it is what will be signed.',
  camera: 'Take a frame first: it is what will be signed.',
  motion: 'Take a reading first: it is what will be signed.',
  sensor: 'The sensor signs by itself. To sign one payload, choose another source.',
}

function hint(): string {
  if (source.value !== 'text' && !draftBytes.value) return FIRST[source.value]
  if (underWay.value > 0 && makerConnection.value.state !== 'offline')
    return 'Waiting until the message is accepted.'
  if (!lastPayload.value)
    return 'Create: the payload comes into being here. To mutate it, edit it afterwards.'
  if (!isChanged.value) return 'Edit the payload to mutate: the new one is then linked to the one before.'
  return 'Mutate: this payload was made from the one before. Create: it has nothing to do with it.'
}

/** Explains, next to the buttons, that a call waits for the connection. */
function Away() {
  const { state, reason } = makerConnection.value
  if (state !== 'offline') return null
  const { calls } = waiting.value
  return (
    <p class="absent" role="status">
      <strong>{isCut.value ? 'The connection is cut.' : 'The broker is not reachable.'}</strong>{' '}
      {calls === 0
        ? 'What you sign waits here'
        : `${count(calls)} signed ${calls === 1 ? 'call waits' : 'calls wait'} here`}
      , and goes out when it is back. {!isCut.value && reason?.message}
    </p>
  )
}
