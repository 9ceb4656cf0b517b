import { type Instant, instantOf } from '../../evidence/trust/policy/instant.js'
import { invalid, pathText } from '../fault.js'

/**
 * Parses the time that an option names, if it is given.
 *
 * @throws AlvariumError `CONFIG_INVALID` unless the text is a time of RFC 3339, because a time without an offset
 * depends on the machine
 */
export function timeIn(option: string, text: string | undefined): Instant | undefined {
  if (text === undefined) return undefined
  const instant = instantOf(text)
  if (instant) return instant
  throw invalid(option, 'a time such as 2026-11-20T10:00:00Z', pathText(text))
}
