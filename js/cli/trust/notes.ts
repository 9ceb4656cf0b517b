import { describeSkipped } from '../../evidence/trust/policy/skipped-keys.js'
import { pathText } from '../fault.js'
import type { Output } from '../terminal/output.js'
import { safeText, yellow } from '../terminal/safe-text.js'

export async function noteSkipped(path: string, skippedKeys: readonly string[], err: Output): Promise<void> {
  if (skippedKeys.length > 0)
    await err.line(safeText`${yellow('warning')}  ${pathText(path)}: ${describeSkipped(skippedKeys)}`)
}

/** Maximum number of items shown of a list, so that the sentence around them stays readable. */
const MAX_TEXTS = 8

export function joinFirst(texts: readonly string[]): string {
  const shown = texts.slice(0, MAX_TEXTS).map((text) => text || '""')
  const left = texts.length - shown.length
  return left > 0 ? `${shown.join(', ')} and ${left} more` : shown.join(', ')
}
