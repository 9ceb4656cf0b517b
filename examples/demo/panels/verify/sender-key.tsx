import { useEffect, useRef } from 'preact/hooks'
import { trust } from '../../state/editing.ts'
import { keys } from '../../state/tool.ts'

/**
 * Asks for the key that the verdict needs. Stands directly below the verdict, which changes with the entered
 * keys.
 */
export function SenderKey() {
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    // Do not take the focus while the visitor writes elsewhere.
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
          // Restore the field after a refused text.
          currentTarget.value = keys.peek()
        }}
      />
    </label>
  )
}
