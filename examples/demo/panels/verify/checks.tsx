import { hasPolicy, inspection, isEmpty, isKeyNeeded, isStrange, loaded, payload } from '../../state/tool.ts'
import { isClassic, type Mark, marksOf, STEPS } from './checking.ts'
import { SenderKey } from './sender-key.tsx'
import { notMessage, Verdict, verdictClass } from './verdict.tsx'

const SIGNS: Record<Mark, string> = {
  passed: '✓',
  failed: '✗',
  'cannot tell': '?',
  'not reached': '·',
  'not asked': '–',
}

/**
 * Shows a mark for each check, in order, and explains the first failed one. Always visible, see `styles/verify.css`.
 */
export function Checks() {
  return (
    <section
      class={`checking ${isEmpty.value ? 'empty' : verdictClass()}`}
      aria-label="Checks"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: on a phone it scrolls, and has to be reachable with the keyboard
      tabIndex={0}
    >
      {areMarksShown() && <Marks />}
      <Verdict />
      {isKeyNeeded.value && !notMessage() && <SenderKey />}
    </section>
  )
}

/** Returns whether to show marks. Sets, proofs and packs are verified as a whole and have none. */
function areMarksShown(): boolean {
  const { value } = inspection
  return !notMessage() && loaded.value.pack === undefined && value?.kind !== 'set' && value?.kind !== 'proof'
}

function Marks() {
  const { value } = inspection
  const asked = {
    hasPayload: payload.value !== undefined,
    isClassic: value !== undefined && isClassic(value.kind),
    isStrange: isStrange.value,
    hasPolicy: hasPolicy.value,
    isBatch: value?.kind === 'batch',
  }
  // Most visitors have no policy: leave its check out.
  const shown = hasPolicy.value ? STEPS : STEPS.filter(({ name }) => name !== 'Policy')
  const marks = value ? marksOf(value.trouble?.code, asked) : []
  return (
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
  )
}

function textOf(mark: Mark | undefined, name: string): string {
  if (mark === 'not asked' && name === 'Payload') return 'not provided'
  if (mark === 'not asked') return isStrange.value ? 'came with the link' : 'not stated in this format'
  return mark ?? (isEmpty.value ? 'nothing yet' : 'being checked')
}
