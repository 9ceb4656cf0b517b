import type { Inspection } from '../../inspection.ts'
import {
  changed,
  hasPolicy,
  inspection,
  isStrange,
  isUnverified,
  payload,
  signers,
  text,
  vouch,
} from '../../state/tool.ts'
import { Button } from '../../ui/controls.tsx'
import { headlineOf, isClassic, reasonOf } from './checking.ts'

/** Shows the outcome in a word or two, and then the reason. */
export function Verdict() {
  const { value } = inspection
  return (
    <div class={`verdict-words ${verdictClass()}`} role="status">
      {value ? (
        <Words found={value} />
      ) : (
        <p>{text.value === '' ? 'Nothing to check.' : 'Asking the verifier.'}</p>
      )}
    </div>
  )
}

/** Returns the class of the colour: red only for what is shown to be false. */
export function verdictClass(): string {
  if (isUnverified.value) return 'unsure'
  if (inspection.value?.trouble) return 'failed'
  return isStrange.value ? 'unsure' : 'passed'
}

function Words({ found }: { readonly found: Inspection }) {
  const { kind, trouble, needs } = found
  const isUnsure = verdictClass() === 'unsure'
  return (
    <>
      <p class="verdict-headline">{headlineOf(trouble?.code, isUnsure)}</p>
      {trouble ? (
        <>
          <p>{reasonOf(trouble.code, changed.value, kind)}</p>
          {needs !== undefined && <p class="needs">It needs {needs}.</p>}
          <p class="sdk-says">
            <code>{trouble.code}</code> {trouble.message}
          </p>
        </>
      ) : isStrange.value ? (
        <Stranger />
      ) : (
        <p>{reasonToBelieve(kind)}</p>
      )}
    </>
  )
}

/** Says that a link that brings its own key proves nothing about who made it. */
function Stranger() {
  return (
    <>
      <p>
        Consistent with the public key that came with this link, and{' '}
        {payload.value ? 'about this payload' : 'not altered since'}. Anyone can make such a link: compare the
        key id with the one that its owner gave you.
      </p>
      <ul class="key-ids">
        {signers.value.map((id) => (
          <li key={id}>
            <code>{id}</code>
          </li>
        ))}
      </ul>
      <Button kind="quiet" onClick={vouch}>
        I know this signer: trust it
      </Button>
    </>
  )
}

function reasonToBelieve(kind: Inspection['kind']): string {
  const about = payload.value ? ', and about this payload' : ''
  if (isClassic(kind)) return `Each annotation was signed by a trusted signer and is unaltered${about}.`
  const since = payload.value ? 'not altered since' : 'and not altered since'
  const permission = hasPolicy.value ? ' Its signer may say this.' : ''
  return `Signed by a trusted signer, ${since}${about}.${permission}`
}
