import { trust } from '../../state/editing.ts'
import { hasPolicy, inspection, keys, loaded, payload } from '../../state/tool.ts'
import { FileButton } from '../../ui/controls.tsx'
import { size, utf8 } from '../../ui/text.ts'
import { Field } from './field.tsx'
import { flippedPayload } from './flip.ts'
import { attachFile, attempt, trustFile } from './given.ts'

/** Maximum size in bytes of a payload that is shown as editable text. */
const LONGEST_TEXT = 2000

/** Edits the inputs of the check: trusted keys, and the payload that the message should be about. */
export function Trust() {
  const isBad = ['KEY_INVALID', 'CONFIG_INVALID'].includes(inspection.value?.trouble?.code ?? '')
  return (
    <div class="trust">
      <label class="trusted-keys">
        <span class="quiet small">Public keys to trust, or a trust policy</span>
        <textarea
          rows={hasPolicy.value ? 8 : 2}
          spellcheck={false}
          autocomplete="off"
          aria-invalid={isBad}
          value={keys.value}
          placeholder="Empty: the public keys of this page. Hexadecimal, PEM or JWK; one or several. Or a trust policy, and leases below it."
          onInput={({ currentTarget }) => {
            trust(currentTarget.value)
            // Restore the field after a refused text.
            currentTarget.value = keys.peek()
          }}
        />
      </label>
      <FileButton kind="quiet" label="Trust policy or leases as a file" onChoose={takeTrust}>
        Trust policy or leases from a file …
      </FileButton>
      {!loaded.value.pack && <PayloadField />}
    </div>
  )
}

/** Edits the payload, which the check compares with the message's payload key. */
function PayloadField() {
  const before = loaded.value.payload
  const now = payload.value
  const isText = isShown(before) && isShown(now)
  return (
    <fieldset class="tamper-group of-payload">
      <legend>Payload (not part of the message)</legend>
      <Field
        id="payload"
        name="payload"
        fullName="payload"
        before={isText ? textOf(before) : `${size(before?.length ?? 0)}, as they were`}
        now={isText ? textOf(now) : shortly(now, before)}
        {...(isText && { onEdit: edit })}
        onFlip={() => {
          payload.value = flippedPayload(now ?? new Uint8Array())
        }}
        onUndo={() => {
          payload.value = before
        }}
      />
      <FileButton kind="quiet" label="Payload as a file" onChoose={take}>
        Payload from a file …
      </FileButton>
    </fieldset>
  )
}

function takeTrust(file: File | undefined): void {
  if (file) attempt(() => trustFile(file))
}

function take(file: File | undefined): void {
  if (file) attempt(() => attachFile(file))
}

/** Sets the payload from the field. An empty field means no payload, unless the message came with one. */
function edit(text: string): void {
  const bytes = new TextEncoder().encode(text)
  payload.value = bytes.length > 0 || loaded.peek().payload ? bytes : undefined
}

function isShown(bytes: Uint8Array | undefined): boolean {
  return bytes === undefined || (bytes.length <= LONGEST_TEXT && utf8(bytes) !== undefined)
}

function textOf(bytes: Uint8Array | undefined): string {
  return new TextDecoder().decode(bytes)
}

function shortly(now: Uint8Array = new Uint8Array(), before: Uint8Array = new Uint8Array()): string {
  const at = now === before ? -1 : now.findIndex((byte, n) => byte !== before[n])
  return at < 0
    ? `${size(now.length)}, as they were`
    : `${size(now.length)}, one bit of byte ${at} is another`
}
