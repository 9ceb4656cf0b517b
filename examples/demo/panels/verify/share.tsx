import { signal } from '@preact/signals'
import { hasPrivateKey } from '../../given-kind.ts'
import { trustedKeys } from '../../state/key.ts'
import { linkTo } from '../../state/permalink.ts'
import { inspection, isEmpty, keys, loaded, message, payload, text } from '../../state/tool.ts'
import { troubleIn } from '../../state/trouble.ts'
import { BoundChoice, Button } from '../../ui/controls.tsx'
import { isClassic } from './checking.ts'
import { codeFor, PLACES, type Place } from './code.ts'
import { notMessage } from './verdict.tsx'

const place = signal<Place>('node')
/** Result of the last copy. */
const copied = signal('')
/** True if the code is open. It is written only then, because writing it takes a while. */
const isOpen = signal(false)
/** Maximum size in bytes of a message and payload in the code. */
const LONGEST_IN_CODE = 256 * 1024

/** Offers a link with the message in its fragment, and code that makes the same check. */
export function Share() {
  if (isEmpty.value || loaded.value.pack || notMessage() || areKeysUnfit()) return null
  const code = isOpen.value ? written() : ''
  return (
    <div class="share">
      <div class="row">
        <Button onClick={copyLink}>Copy link</Button>
        <span class="small quiet" role="status">
          {copied.value || 'The message is in the link’s fragment, which no server sees.'}
        </span>
      </div>
      <details
        class="as-code"
        onToggle={({ currentTarget }) => {
          isOpen.value = currentTarget.open
        }}
      >
        <summary>As code</summary>
        <div class="row">
          <BoundChoice label="Code for" options={PLACES} chosen={place} />
          <Button kind="quiet" onClick={() => copy(code, 'Code copied.')}>
            Copy code
          </Button>
        </div>
        {place.value === 'cli' && (
          <p class="small quiet">
            With the package installed: <code>npm run pack</code> in a clone of it makes the file for{' '}
            <code>npm install --global</code>.
          </p>
        )}
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reachable with the keyboard */}
        <section class="bytes code" tabIndex={0} aria-label="The same check as code">
          <pre>{code}</pre>
        </section>
      </details>
    </div>
  )
}

/**
 * Returns whether the keys contain anything but public keys. Anything else could be a private key, which a
 * link or code must not contain.
 */
function areKeysUnfit(): boolean {
  return inspection.value?.trouble?.code === 'KEY_INVALID' || hasPrivateKey(keys.value)
}

function written(): string {
  const { length } = message.value
  if (length + (payload.value?.length ?? 0) > LONGEST_IN_CODE)
    return 'The payload is too long to be written as code.'
  return codeFor(place.value, {
    message: message.value,
    payload: payload.value,
    keys: trusted(),
    kind: inspection.value?.kind ?? 'unknown',
    isCbor: inspection.value?.encoding === 'CBOR',
    isClassic: isClassic(inspection.value?.kind ?? 'unknown'),
  })
}

function trusted(): string {
  return keys.value.trim() || trustedKeys.value.join('\n')
}

async function copyLink(): Promise<void> {
  // Copy nothing before the verifier has read the keys: one could be private.
  if (!inspection.value) return
  try {
    const link = await linkTo({ message: text.value, payload: payload.value, keys: trusted() })
    history.replaceState(undefined, '', link)
    await copy(link, 'Copied. The address bar has it too.', 'The address bar has it.')
  } catch (error) {
    copied.value = troubleIn(error).message
  }
}

/** Copies a text. Pages loaded over plain HTTP have no clipboard. */
async function copy(
  what: string,
  done: string,
  instead = 'This browser offers no clipboard here.',
): Promise<void> {
  try {
    await navigator.clipboard.writeText(what)
    copied.value = done
  } catch {
    copied.value = instead
  }
}
