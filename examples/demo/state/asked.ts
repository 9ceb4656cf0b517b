/** Selected annotators, and the visitor's rule, which is an annotator too. */
import { computed, signal } from '@preact/signals'
import type { Asked } from '../protocol.ts'
import type { Rule } from '../rule.ts'
import { maker } from './workers.ts'

/** Kinds of the annotators in the SDK's main module, and `signal`, which the SDK refuses. */
const TAKEN = ['src', 'tls', 'tpm', 'pki', 'signal']

export const rule = signal<Rule>({ kind: 'not-hot', path: 'temp_max', operator: '<', value: '30' })

/** Reason why the rule is invalid; undefined for a valid rule. */
export const ruleProblem = computed<string | undefined>(() => {
  const kind = rule.value.kind.trim()
  if (kind === '' || !kind.isWellFormed()) return 'It has no name.'
  return TAKEN.includes(kind) ? `${kind} is a name that the SDK uses itself.` : undefined
})

const ticked = signal({ src: true, tls: true, pki: false, rule: true })

/** True if the visitor has selected the rule, even if the rule is invalid and therefore not used. */
export const isRuleTicked = computed(() => ticked.value.rule)

/**
 * Annotators that the maker uses. Omits an invalid rule: annotations under its last valid name would be
 * misleading.
 */
export const asked = computed<Asked>(() => {
  const { rule: isAsked, ...others } = ticked.value
  return {
    ...others,
    ...(isAsked && !ruleProblem.value && { rule: { ...rule.value, kind: rule.value.kind.trim() } }),
  }
})

/** Selects or deselects annotators for the next calls. */
export async function ask(change: Partial<typeof ticked.value>): Promise<void> {
  ticked.value = { ...ticked.value, ...change }
  await maker.call('ask', asked.value)
}

export async function editRule(change: Partial<Rule>): Promise<void> {
  rule.value = { ...rule.value, ...change }
  await maker.call('ask', asked.value)
}
