import { alterPayload, payloadEdit } from '../../state/tamper.ts'
import { size, utf8 } from '../../ui/text.ts'
import { Field } from './field.tsx'
import { flippedPayload } from './flip.ts'

/** Bytes of the longest payload that is shown as text to be edited. */
const LONGEST_TEXT = 2000

/** The payload, which is not in the message: it is checked against the message's key. */
export function PayloadField({ genuine }: { readonly genuine: Uint8Array<ArrayBuffer> }) {
  const now = payloadEdit.value ?? genuine
  const isText = genuine.length <= LONGEST_TEXT && utf8(genuine) !== undefined
  const flip = () => alterPayload(flippedPayload(now))
  return (
    <fieldset class="tamper-group of-payload">
      <legend>Payload, which is not in the message</legend>
      <Field
        id="payload"
        name="payload"
        fullName="payload"
        before={isText ? (utf8(genuine) ?? '') : `${size(genuine.length)}, as they were`}
        now={isText ? new TextDecoder().decode(now) : shortly(now, genuine)}
        {...(isText && { onEdit: (text: string) => alterPayload(new TextEncoder().encode(text)) })}
        onFlip={flip}
        onUndo={() => alterPayload(undefined)}
      />
    </fieldset>
  )
}

function shortly(now: Uint8Array, genuine: Uint8Array): string {
  const at = now.findIndex((byte, n) => byte !== genuine[n])
  return at < 0
    ? `${size(now.length)}, as they were`
    : `${size(now.length)}, one bit of byte ${at} is another`
}
