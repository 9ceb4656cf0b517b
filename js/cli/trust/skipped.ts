import { describeSkipped } from '../../evidence/trust/policy/skipped-keys.js'
import { named } from '../fault.js'
import type { Output } from '../terminal/output.js'
import { shown, yellow } from '../terminal/shown.js'

/** Writes a warning about keys of a trust policy that cannot be used. */
export async function noteSkipped(path: string, skippedKeys: readonly string[], err: Output): Promise<void> {
  if (skippedKeys.length > 0)
    await err.line(shown`${yellow('warning')}  ${named(path)}: ${describeSkipped(skippedKeys)}`)
}
