import { changed, outcome, tampered } from '../../state/tamper.ts'
import { type Mark, marksOf, reasonOf, STEPS } from './checking.ts'

const SIGNS: Record<Mark, string> = { passed: '✓', failed: '✗', 'not reached': '·', 'not asked': '–' }

/** A mark for each check, in order, and the first failing one in words. */
export function Checks() {
  const { value } = outcome
  const marks = value ? marksOf(value.trouble?.code, tampered.value.payload !== undefined) : []
  return (
    <div class="checking">
      <ol class="check-marks">
        {STEPS.map(({ name, question }, n) => (
          <li key={name} class={(marks[n] ?? 'not reached').replace(' ', '-')} title={question}>
            <span class="sign" aria-hidden="true">
              {SIGNS[marks[n] ?? 'not reached']}
            </span>
            <span>
              {name}
              <span class="hidden">: </span>
              <span class="mark-text">{textOf(marks[n])}</span>
            </span>
          </li>
        ))}
      </ol>
      <div class={`verdict-words ${value?.trouble ? 'failed' : 'passed'}`} role="status">
        {value?.trouble ? (
          <>
            <p>{reasonOf(value.trouble.code, changed.value)}</p>
            <p class="sdk-says">
              <code>{value.trouble.code}</code> {value.trouble.message}
            </p>
          </>
        ) : (
          <p>{value ? passed() : 'Asking the verifier.'}</p>
        )}
      </div>
    </div>
  )
}

function textOf(mark: Mark | undefined): string {
  if (mark === 'not asked') return 'not at hand'
  return mark ?? 'being checked'
}

function passed(): string {
  return tampered.value.payload
    ? 'Genuine: signed by a key that is trusted, not altered since, and about this payload.'
    : 'Genuine: signed by a key that is trusted, and not altered since. Alter something below.'
}
