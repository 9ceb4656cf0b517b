import { skippedText } from '../../evidence/trust/skipped.js'
import { pathText } from '../fault.js'
import type { Output } from '../terminal/output.js'
import { safeText, yellow } from '../terminal/shown.js'

/** Writes a warning about keys of a trust policy that cannot be used. */
export async function noteSkipped(path: string, skippedKeys: readonly string[], err: Output): Promise<void> {
  if (skippedKeys.length > 0)
    await err.line(safeText`${yellow('warning')}  ${pathText(path)}: ${skippedText(skippedKeys)}`)
}
