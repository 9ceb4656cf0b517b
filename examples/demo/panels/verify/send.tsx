import { sendOn, undoAll } from '../../state/editing.ts'
import { hasBroker } from '../../state/place.ts'
import { isAltered, loaded, sent, sentVerdict, text } from '../../state/tool.ts'
import { Button } from '../../ui/controls.tsx'
import { moveFocus } from '../../ui/panel.tsx'
import { Room } from '../../ui/room.tsx'

/** Offers to restore the genuine message, or to publish the altered one, and shows the result. */
export function Send() {
  const isChanged = text.value !== loaded.value.text
  return (
    <div class="row tamper-actions">
      <Button isDisabled={!isAltered.value} onClick={undo}>
        Undo
      </Button>
      <Button
        isDisabled={!isChanged || (sent.value !== undefined && !sent.value.trouble)}
        title="Publishes these bytes, as anyone with access to the broker could"
        onClick={sendOn}
      >
        Send it to the {RECEIVER}
      </Button>
      <div class="small quiet send-words">
        <Room longest={ROOM_TEXT}>{isChanged && words()}</Room>
      </div>
    </div>
  )
}

/** Restores the genuine message. Moves the focus, because the disabled button would lose it. */
function undo(): void {
  undoAll()
  moveFocus('message-title')
}

const RECEIVER = hasBroker ? 'broker' : 'verifier'

const ROOM_TEXT = 'The live list has rejected it too: MESSAGE_MALFORMED.'

function words(): string {
  const verdict = sentVerdict.value
  if (sent.value?.trouble) return `Not sent: ${sent.value.trouble.message}`
  if (verdict && 'trouble' in verdict) return `The live list has rejected it too: ${verdict.trouble.code}.`
  if (sent.value) return sent.value.isAccepted ? 'Sent.' : `Waiting for the ${RECEIVER}.`
  return 'Changed only here; nothing has been sent.'
}
