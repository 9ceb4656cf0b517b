import type {
  BackdatedFinding,
  ForkedFinding,
  MissingFinding,
  SilentFinding,
} from '../../../verifying/consume/findings.js'
import { join } from '../joined.js'
import type { Who } from '../known-signer.js'
import type { Gap, RunName } from '../report.js'
import type { Absent, UnlistedMessage } from './remembered.js'

/** Returns findings about listed messages that did not arrive: one for each range of consecutive positions. */
export function missing(who: Who, run: RunName, absent: readonly Absent[]): MissingFinding[] {
  return join(run, absent).map((range) => {
    const messages = range.last - range.first + 1
    const places = messages === 1 ? `position ${range.first}` : `positions ${range.first} to ${range.last}`
    const text = `${called(who)}: ${messages} missing, ${places}, ${range.since} to ${range.until}`
    return { kind: 'missing', ...who, ...range, messages, text }
  })
}

/** Returns a finding about missing messages in a gap, which are known by number only. */
export function missingInGap(who: Who, gap: Gap & { readonly absent: number }): MissingFinding {
  const { keyId, run, first, last, since, until, absent: messages } = gap
  const text = `${called(who)}: ${messages} missing between ${first} and ${last}, ${since} to ${until}`
  return { kind: 'missing', ...who, messages, keyId, run, first, last, since, until, text }
}

export function forkFinding(who: Who, run: RunName, size: number): ForkedFinding {
  return {
    kind: 'forked',
    ...who,
    ...run,
    size,
    text: `${called(who)}: forked, two logs from size ${size} on`,
  }
}

export function backdated(who: Who, { id, timestamp }: UnlistedMessage): BackdatedFinding {
  const text = `${called(who)}: backdated, ${id} of ${timestamp} is not in its log`
  return { kind: 'backdated', ...who, id, timestamp, text }
}

export function silent(who: Who, messages: number, forMs: number, dueMs: number): SilentFinding {
  const [seconds, due] = [Math.floor(forMs / 1000), Math.floor(dueMs / 1000)]
  const text = `${called(who)}: silent for ${seconds} s, a checkpoint of ${messages} messages was due after ${due}`
  return { kind: 'silent', ...who, messages, forMs, text }
}

function called({ signer, name }: Who): string {
  return name ?? signer
}
