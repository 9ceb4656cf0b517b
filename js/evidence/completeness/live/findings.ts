import type {
  BackdatedFinding,
  ForkedFinding,
  MissingFinding,
  SilentFinding,
} from '../../../verifying/consume/findings.js'
import type { SignerName } from '../key-owner.js'
import type { Gap, Missing, RunName } from '../report.js'
import type { AbsentMessage, UnlistedMessage } from './message-memory.js'

export function missingFindings(
  signerName: SignerName,
  run: RunName,
  absent: readonly AbsentMessage[],
): MissingFinding[] {
  return joinPositions(run, absent).map((range) => {
    const messages = range.last - range.first + 1
    const places = messages === 1 ? `position ${range.first}` : `positions ${range.first} to ${range.last}`
    const text = `${shownName(signerName)}: ${messages} missing, ${places}, ${range.since} to ${range.until}`
    return { kind: 'missing', ...signerName, ...range, messages, text }
  })
}

export function gapFinding(signerName: SignerName, gap: Gap & { readonly absent: number }): MissingFinding {
  const { keyId, run, first, last, since, until, absent: messages } = gap
  const text = `${shownName(signerName)}: ${messages} missing between ${first} and ${last}, ${since} to ${until}`
  return { kind: 'missing', ...signerName, messages, keyId, run, first, last, since, until, text }
}

export function forkFinding(signerName: SignerName, run: RunName, size: number): ForkedFinding {
  return {
    kind: 'forked',
    ...signerName,
    ...run,
    size,
    text: `${shownName(signerName)}: forked, two logs from size ${size} on`,
  }
}

export function backdatedFinding(
  signerName: SignerName,
  { id, timestamp }: UnlistedMessage,
): BackdatedFinding {
  const text = `${shownName(signerName)}: backdated, ${id} of ${timestamp} is not in its log`
  return { kind: 'backdated', ...signerName, id, timestamp, text }
}

export function silentFinding(
  signerName: SignerName,
  messages: number,
  forMs: number,
  dueMs: number,
): SilentFinding {
  const [seconds, due] = [Math.floor(forMs / 1000), Math.floor(dueMs / 1000)]
  const text = `${shownName(signerName)}: silent for ${seconds} s, a checkpoint of ${messages} messages was due after ${due}`
  return { kind: 'silent', ...signerName, messages, forMs, text }
}

function shownName({ signer, name }: SignerName): string {
  return name ?? signer
}

function joinPositions({ keyId, run }: RunName, absent: Iterable<AbsentMessage>): Missing[] {
  const missing: Missing[] = []
  for (const { position, bundles, since, until } of absent) {
    const before = missing.at(-1)
    if (before?.last === position - 1)
      Object.assign(before, { last: position, bundles: before.bundles + bundles, until })
    else missing.push({ keyId, run, first: position, last: position, bundles, since, until })
  }
  return missing
}
