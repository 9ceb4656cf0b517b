/** Which annotators are asked, and the visitor's own rule. */
import { signal } from '@preact/signals'
import type { Asked } from '../protocol.ts'
import type { Rule } from '../rule.ts'
import { maker } from './workers.ts'

/** The rule as it is being edited; it is only asked while `asked.value.rule` is set. */
export const rule = signal<Rule>({ kind: 'not-hot', path: 'temp_max', operator: '<', value: '30' })

/** What the maker asks now. */
export const asked = signal<Asked>({ src: true, tls: true, pki: false, rule: rule.value })

export async function ask(change: Partial<Asked>): Promise<void> {
  asked.value = { ...asked.value, ...change }
  await maker.call('ask', asked.value)
}

/** Changes the rule; a rule that is asked is asked in its new form from the next call on. */
export async function editRule(change: Partial<Rule>): Promise<void> {
  rule.value = { ...rule.value, ...change }
  if (asked.value.rule) await ask({ rule: rule.value })
}
