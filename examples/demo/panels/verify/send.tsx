import { hasBroker } from '../../state/place.ts'
import { edits, sendTampered, sent, sentVerdict } from '../../state/tamper.ts'
import { Button } from '../../ui/controls.tsx'

/** Sends the altered message to where the genuine one came from, and says what became of it. */
export function Send() {
  return (
    <>
      <Button
        isDisabled={edits.value.size === 0 || (sent.value !== undefined && !sent.value.trouble)}
        title="Publishes these bytes, as anybody at the broker could"
        onClick={sendTampered}
      >
        Send it {hasBroker ? 'to the broker' : 'to the verifier'}
      </Button>
      <p class="small quiet" role="status">
        {words()}
      </p>
    </>
  )
}

function words(): string {
  if (edits.value.size === 0) return ''
  const verdict = sentVerdict.value
  if (sent.value?.trouble) return `Not sent: ${sent.value.trouble.message}`
  if (verdict && 'trouble' in verdict) return `The live list has rejected it too: ${verdict.trouble.code}.`
  if (sent.value) return sent.value.isAccepted ? 'Sent.' : 'Waiting for the broker.'
  return 'So far it is altered in this panel only.'
}
