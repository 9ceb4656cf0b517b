import { useEffect, useRef } from 'preact/hooks'
import { trust } from '../../state/editing.ts'
import { keys } from '../../state/tool.ts'

/** Asks for what the verdict lacks, right below it: the verdict changes with each key. */
export function SenderKey() {
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    // Not while the visitor writes somewhere else.
    if (!(document.activeElement instanceof HTMLTextAreaElement))
      field.current?.focus({ preventScroll: true })
  }, [])
  return (
    <label class="sender-key">
      <span class="quiet small">The sender’s public key</span>
      <textarea
        ref={field}
        rows={2}
        spellcheck={false}
        autocomplete="off"
        placeholder="Hexadecimal, PEM or JWK"
        value={keys.value}
        onInput={({ currentTarget }) => {
          trust(currentTarget.value)
          // A refused text leaves the field as it was.
          currentTarget.value = keys.peek()
        }}
      />
    </label>
  )
}
