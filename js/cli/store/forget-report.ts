import type { AuditReport, Forgotten } from 'alvarium-sdk/store'
import { OUTCOMES } from '../../foundation/model/outcome.js'
import { count, countOf } from '../terminal/words.js'

interface ReportParts {
  /** Request in words, without the payloads. */
  readonly request: string
  readonly done: Forgotten
  readonly audit: AuditReport
  readonly at: Date
}

/** Returns a report on a removal, for a file: the number of removed bundles, the proof, and other places to search. It names no person. */
export function reportOf({ request, done, audit, at }: ReportParts): string {
  const { payloads, bundles, messages, prunings } = done
  const { outcome, verdict, says, needs } = audit
  return `${[
    '# Removal from an Alvarium store',
    '',
    `- When: ${at.toISOString()}`,
    `- Asked for: ${request}`,
    `- Removed: ${countOf(payloads, 'payload')}, ${countOf(bundles, 'bundle')}, ${countOf(messages, 'message')}`,
    ...prunings.map((id) => `- Entry of the store's log: ${id}, ${signedText(audit, id)}`),
    `- Audit afterwards: ${OUTCOMES[outcome].mark} ${verdict}: ${says}`,
    ...(needs === undefined ? [] : [`- For more: ${needs}`]),
    `- In the log: ${count(audit.size)} entries, of which ${count(audit.pruned)} are pruned`,
    '',
    'The log keeps the place and the id of each bundle, and names none of these payloads. What was made from them says when they were forgotten.',
    '',
    'Not removed by this command, and to be removed there:',
    '',
    ...OTHER_PLACES.map((one) => `- ${one}`),
  ].join('\n')}\n`
}

const OTHER_PLACES = [
  'quarantined messages of unknown signers: they go after 30 days, or with `alvarium store prune`',
  'tags, kinds and hosts that name a person',
  'backups, WAL and replicas of the database, and rows that `vacuum` has not removed yet',
  'the broker, outboxes, exports, packs and other stores',
]

function signedText({ prunings }: AuditReport, id: string): string {
  const checkpoint = prunings.find((one) => one.id === id)?.checkpoint ?? 'none'
  return checkpoint === 'none'
    ? 'in no signed checkpoint yet (alvarium store checkpoint)'
    : 'in a signed checkpoint'
}
