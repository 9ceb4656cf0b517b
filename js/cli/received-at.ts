import { instantOf } from '../trust/instant.js'
import { invalid, named } from './fault.js'

/**
 * What `--received-at` says, in milliseconds since 1970.
 *
 * @throws AlvariumError `CONFIG_INVALID` for what is no time of RFC 3339: one without an offset is another one elsewhere
 */
export function receivedAtOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const instant = instantOf(text)
  if (instant) return instant.ms
  throw invalid('--received-at', 'a time such as 2026-11-20T10:00:00Z', named(text))
}
