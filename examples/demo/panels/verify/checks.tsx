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
import { isClassic, type Mark, marksOf, reasonOf, STEPS } from './checking.ts'

const SIGNS: Record<Mark, string> = {
  passed: '✓',
  failed: '✗',
  'cannot tell': '?',
  'not reached': '·',
  'not asked': '–',
}

/** A mark for each check, in order, and the first failing one in words. Always in sight, see `styles/verify.css`. */
export function Checks() {
  const { value } = inspection
  const asked = {
    hasPayload: payload.value !== undefined,
    isClassic: value !== undefined && isClassic(value.kind),
    isStrange: isStrange.value,
    hasPolicy: hasPolicy.value,
    isBatch: value?.kind === 'batch',
  }
  // Most visitors have no policy.
  const shown = hasPolicy.value ? STEPS : STEPS.filter(({ name }) => name !== 'Policy')
  const marks = value ? marksOf(value.trouble?.code, asked) : []
  return (
    <section class={`checking ${value?.trouble ? verdictClass() : ''}`} aria-label="Checks">
      <ol class={`check-marks ${hasPolicy.value ? 'with-policy' : ''}`}>
        {shown.map(({ name, question }, n) => (
          <li key={name} class={(marks[n] ?? 'not reached').replace(' ', '-')} title={question}>
            <span class="sign" aria-hidden="true">
              {SIGNS[marks[n] ?? 'not reached']}
            </span>
            <span>
              {name}
              <span class="hidden">: </span>
              <span class="mark-text">{textOf(marks[n], name)}</span>
            </span>
          </li>
        ))}
      </ol>
      <div class={`verdict-words ${verdictClass()}`} role="status">
        {value ? (
          <Words found={value} />
        ) : (
          <p>{text.value === '' ? 'Nothing to check.' : 'Asking the verifier.'}</p>
        )}
      </div>
    </section>
  )
}

/** Red only for what is shown to be false. */
function verdictClass(): string {
  if (isUnverified.value) return 'unsure'
  if (inspection.value?.trouble) return 'failed'
  return isStrange.value ? 'unsure' : 'passed'
}

function Words({ found }: { readonly found: Inspection }) {
  const { kind, trouble, needs } = found
  if (!trouble) return isStrange.value ? <Stranger /> : <p>{passed(kind)}</p>
  return (
    <>
      <p>{reasonOf(trouble.code, changed.value, kind)}</p>
      {needs !== undefined && (
        <p class="needs">
          It needs {needs}.{needs.includes('public key') && ' Paste it into “Public keys to trust”.'}
        </p>
      )}
      <p class="sdk-says">
        <code>{trouble.code}</code> {trouble.message}
      </p>
    </>
  )
}

/** A link that brings its own key proves nothing about who made it. */
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

function textOf(mark: Mark | undefined, name: string): string {
  if (mark === 'not asked' && name === 'Payload') return 'not provided'
  if (mark === 'not asked') return isStrange.value ? 'came with the link' : 'not stated in this format'
  return mark ?? (text.value === '' ? 'nothing yet' : 'being checked')
}

function passed(kind: Inspection['kind']): string {
  const about = payload.value ? ', and about this payload' : ''
  if (isClassic(kind))
    return `Genuine: each annotation was signed by a trusted signer and is unaltered${about}.`
  const since = payload.value ? 'not altered since' : 'and not altered since'
  const allowed = hasPolicy.value ? ' Its signer may say this.' : ''
  return `Genuine: signed by a trusted signer, ${since}${about}.${allowed}`
}
