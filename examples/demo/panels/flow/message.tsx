import { useSignal } from '@preact/signals'
import { Button } from '../../ui/controls.tsx'

const SHORT = 220

/** Shows the published message, at first only its beginning. */
export function MessageView({ message }: { readonly message: Uint8Array }) {
  const isWhole = useSignal(false)
  const text = new TextDecoder().decode(message)
  return (
    <>
      <pre class="bytes">{isWhole.value || text.length <= SHORT ? text : `${text.slice(0, SHORT)}…`}</pre>
      {text.length > SHORT && (
        <Button
          kind="quiet"
          onClick={() => {
            isWhole.value = !isWhole.value
          }}
        >
          {isWhole.value ? 'Show less' : 'Show all of it'}
        </Button>
      )}
    </>
  )
}
