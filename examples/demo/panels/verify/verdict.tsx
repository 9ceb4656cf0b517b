import { Fragment } from 'preact'
import { hasPrivateKey } from '../../given-kind.ts'
import type { Inspection } from '../../inspection.ts'
import { vouch } from '../../state/editing.ts'
import {
  changed,
  hasPolicy,
  inspection,
  isEmpty,
  isStrange,
  isUnverified,
  keys,
  payload,
  signers,
  textKind,
} from '../../state/tool.ts'
import { Button } from '../../ui/controls.tsx'
import { headlineOf, isClassic, reasonOf } from './checking.ts'
import { ThreeSamples } from './samples.tsx'

/** Shows the outcome in a few words, and then the reason. */
export function Verdict() {
  const { value } = inspection
  return (
    <div class={`verdict-words ${verdictClass()}`} role="status">
      {notMessage() ? (
        <NotMessage />
      ) : value ? (
        <Words found={value} />
      ) : (
        <p>{isEmpty.value ? 'Nothing to check.' : 'Asking the verifier.'}</p>
      )}
    </div>
  )
}

/** Returns whether the editor contains something that this tool cannot verify. */
export function notMessage(): boolean {
  return !['message', 'set', 'proof', 'nothing'].includes(textKind.value.is)
}

/** Explains what the editor contains instead of a message, and offers samples. */
function NotMessage() {
  const { value } = textKind
  return (
    <>
      <p class="verdict-headline">Not an Alvarium message</p>
      <p>This looks like {value.is === 'other' ? value.noun : NOUNS[value.is]}. Try one of these:</p>
      <ThreeSamples />
    </>
  )
}

const NOUNS: Readonly<Record<string, string>> = {
  key: 'a public key: write it in the field for keys below the message',
  policy: 'a trust policy: write it in the field for keys below the message',
  lease: 'a lease: write it below a trust policy',
}

/** Returns the class of the colour: red only for refuted messages. */
export function verdictClass(): string {
  if (notMessage() || isUnverified.value) return 'unsure'
  if (inspection.value?.outcome === 'does not hold') return 'failed'
  return isStrange.value ? 'unsure' : 'passed'
}

function Words({ found }: { readonly found: Inspection }) {
  const { trouble, says, outcome, kind } = found
  const isUnsure = verdictClass() === 'unsure'
  return (
    <>
      <p class="verdict-headline">{headlineOf(trouble?.code, isUnsure, outcome !== 'does not hold', kind)}</p>
      {says === undefined || trouble ? <OfMessage found={found} /> : <OfOther found={found} />}
    </>
  )
}

/** Shows the sentence about a set, a proof or a pack, and its reasons. */
function OfOther({ found: { says, needs, facts = [] } }: { readonly found: Inspection }) {
  return (
    <>
      <p>{says}</p>
      {needs !== undefined && <p class="needs">{needs}</p>}
      <dl class="pairs facts">
        {facts.map(([name, value]) => (
          <Fragment key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </Fragment>
        ))}
      </dl>
    </>
  )
}

function OfMessage({ found: { kind, trouble, needs } }: { readonly found: Inspection }) {
  return (
    <>
      {trouble ? (
        <>
          <p>
            {hasPrivateKey(keys.value)
              ? 'This is a private key. Remove it: nobody but its owner may have it.'
              : reasonOf(trouble.code, changed.value, kind)}
          </p>
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

/** Explains that a link that contains the key proves nothing about the author of the message. */
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
  if (isClassic(kind)) {
    const added = changed.value.length > 0 ? ' No signature covers what you have changed.' : ''
    return `Each annotation here was signed by a trusted signer and is unaltered${about}. In messages of this SDK, nobody signs the action, nor which annotations belong to it.${added}`
  }
  const since = payload.value ? 'not altered since' : 'and not altered since'
  const permission = hasPolicy.value ? ' Its signer may say this.' : ''
  return `Signed by a trusted signer, ${since}${about}.${permission}`
}
