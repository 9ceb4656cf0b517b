import type { Inspection } from '../../inspection.ts'
import { changed, inspection, payload, text } from '../../state/tool.ts'
import { isClassic, type Mark, marksOf, reasonOf, STEPS } from './checking.ts'

const SIGNS: Record<Mark, string> = { passed: '✓', failed: '✗', 'not reached': '·', 'not asked': '–' }

/** A mark for each check, in order, and the first failing one in words. Always in sight, see `styles/verify.css`. */
export function Checks() {
  const { value } = inspection
  const asked = {
    hasPayload: payload.value !== undefined,
    isClassic: value !== undefined && isClassic(value.kind),
  }
  const marks = value ? marksOf(value.trouble?.code, asked) : []
  return (
    <section class={`checking ${value?.trouble ? 'failed' : ''}`} aria-label="Checks">
      <ol class="check-marks">
        {STEPS.map(({ name, question }, n) => (
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
      <div class={`verdict-words ${value?.trouble ? 'failed' : 'passed'}`} role="status">
        {value ? (
          <Words found={value} />
        ) : (
          <p>{text.value === '' ? 'Nothing to check.' : 'Asking the verifier.'}</p>
        )}
      </div>
    </section>
  )
}

function Words({ found: { kind, trouble } }: { readonly found: Inspection }) {
  if (!trouble) return <p>{passed(kind)}</p>
  return (
    <>
      <p>{reasonOf(trouble.code, changed.value)}</p>
      <p class="sdk-says">
        <code>{trouble.code}</code> {trouble.message}
      </p>
    </>
  )
}

function textOf(mark: Mark | undefined, name: string): string {
  if (mark === 'not asked') return name === 'Payload' ? 'not at hand' : 'not named'
  return mark ?? (text.value === '' ? 'nothing yet' : 'being checked')
}

function passed(kind: Inspection['kind']): string {
  const about = payload.value ? ', and about this payload' : ''
  if (isClassic(kind))
    return `Genuine: each annotation was signed by a key that is trusted, is not altered${about}.`
  const since = payload.value ? 'not altered since' : 'and not altered since'
  return `Genuine: signed by a key that is trusted, ${since}${about}.`
}
