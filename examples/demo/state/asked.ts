/** Which annotators are asked, and the visitor's own rule. */
import { computed, signal } from '@preact/signals'
import type { Asked } from '../protocol.ts'
import type { Rule } from '../rule.ts'
import { maker } from './workers.ts'

/** Names that the SDK, or the page, has given already. */
const TAKEN = ['src', 'tls', 'tpm', 'pki', 'signal']

/** The rule as it is being edited. */
export const rule = signal<Rule>({ kind: 'not-hot', path: 'temp_max', operator: '<', value: '30' })

/** Why the rule cannot be asked as it is. */
export const ruleProblem = computed<string | undefined>(() => {
  const kind = rule.value.kind.trim()
  if (kind === '' || !kind.isWellFormed()) return 'It has no name.'
  return TAKEN.includes(kind) ? `${kind} is an annotator of the SDK.` : undefined
})

/** What the visitor has ticked. */
const ticked = signal({ src: true, tls: true, pki: false, rule: true })

/** Whether the rule is ticked; with a problem it is not asked all the same. */
export const isRuleTicked = computed(() => ticked.value.rule)

/** What the maker asks now. A rule that cannot be asked is left out, rather than asked under the name that it had. */
export const asked = computed<Asked>(() => {
  const { rule: isAsked, ...others } = ticked.value
  return {
    ...others,
    ...(isAsked && !ruleProblem.value && { rule: { ...rule.value, kind: rule.value.kind.trim() } }),
  }
})

/** Asks these from the next call on, or no longer. */
export async function ask(change: Partial<typeof ticked.value>): Promise<void> {
  ticked.value = { ...ticked.value, ...change }
  await maker.call('ask', asked.value)
}

/** Changes the rule; one that is asked is asked in its new form from the next call on. */
export async function editRule(change: Partial<Rule>): Promise<void> {
  rule.value = { ...rule.value, ...change }
  await maker.call('ask', asked.value)
}
