import type { CheckCounts, RecordPlace, SignedRecord } from 'alvarium-sdk/records'
import type { VerdictWord } from '../../model/verdict-words.js'
import type { RecordDifference } from '../../records/findings.js'
import { type FileFormat, type FormatOptions, formOf } from '../input/payloads.js'
import { MARKS } from '../terminal/outcome.js'
import { dim, joined, padded, type Shown, shown, yellow } from '../terminal/shown.js'
import { count, counted, short } from '../terminal/words.js'
import type { Evidence } from './evidence.js'

/** Formatter of findings: it adds the places of signatures, and a name for records that have no line. */
export class Report {
  readonly #evidence: Evidence
  readonly #options: FormatOptions

  /**
   * @param evidence - messages or manifest that the records were compared with
   * @param options - options that say what the records are
   */
  constructor(evidence: Evidence, options: FormatOptions) {
    this.#evidence = evidence
    this.#options = options
  }

  /** Returns the row of a finding, for people. */
  row(finding: RecordDifference): Shown {
    return shown`${MARKS['does not hold']} ${padded(finding.kind, 7)}  ${joined(this.#partsOf(finding), '  ')}`
  }

  /** Returns a finding for programs. */
  json(finding: RecordDifference): object {
    const { kind, ...rest } = finding
    if (!('signed' in finding)) return { finding: kind, ...rest }
    const { message, ...signed } = finding.signed
    return { finding: kind, ...rest, signed: { place: this.#evidence.placeOf({ message }), ...signed } }
  }

  #partsOf(finding: RecordDifference): Shown[] {
    if (finding.kind === 'missing') return [this.#behind(finding.after), this.#signedAt(finding.signed)]
    const record = this.#recordAt(finding.record)
    switch (finding.kind) {
      case 'altered':
        return [record, this.#signedAt(finding.signed)]
      case 'extra':
        return [
          record,
          finding.isCopy ? shown`a copy of a record that was signed` : shown`no message given is about it`,
        ]
      case 'moved':
        return [record, shown`stood ${this.#behind(finding.after)}`, this.#signedAt(finding.signed)]
      case 'twice':
        return [record, shown`signed again, or a copy of it was removed`, this.#signedAt(finding.signed)]
    }
  }

  /** Returns `readings.csv:7`; for a file without lines the number of the row or piece, or the name of the file. */
  #recordAt({ name = '', line, number, by }: RecordPlace): Shown {
    const part = PARTS[formOf({ name }, this.#options).format]
    const place = line === undefined ? shown`${part ? ` ${part} ${number}` : ''}` : shown`:${line}`
    return by === undefined ? shown`${name}${place}` : shown`${name}${place} (${by})`
  }

  #behind(after: RecordPlace | undefined): Shown {
    return after ? shown`after ${this.#recordAt(after)}` : shown`at the beginning`
  }

  #signedAt({ message, bundle, key }: SignedRecord): Shown {
    const which = this.#evidence.isWhole ? 'record' : 'bundle'
    const place = this.#evidence.placeOf({ message })
    return dim(shown`signed in ${place}, ${which} ${bundle}, key ${short(key)}`)
  }
}

/** Names of records without a line. */
const PARTS: Partial<Record<FileFormat, string>> = {
  chunks: 'piece',
  rows: 'row',
  'row-groups': 'row group',
}

/** Returns a summary such as `4 records: 3 as signed, 1 altered`. */
export function sumOf(counts: CheckCounts): string {
  const found = KINDS.filter((kind) => counts[kind] > 0).map((kind) => `${count(counts[kind])} ${kind}`)
  const parts = found.length > 0 ? found : ['none missing']
  return `${counted(counts.records, 'record')}: ${[`${count(keptOf(counts))} as signed`, ...parts].join(', ')}`
}

const KINDS = ['altered', 'missing', 'extra', 'moved', 'twice'] as const satisfies readonly VerdictWord[]

/** Returns the number of records that are unchanged since they were signed. */
export function keptOf({ records, altered, extra, moved }: CheckCounts): number {
  return records - altered - extra - moved
}

/** Returns notes about bundles that were not compared, and about a likely mistake. */
export function notesOf(counts: CheckCounts): Shown[] {
  const { others, records } = counts
  const notes: string[] = []
  if (others > 0)
    notes.push(`${counted(others, 'bundle')} of other actions not compared: --action chooses one`)
  if (keptOf(counts) === 0 && records > 0)
    notes.push('no record is as it was signed: was the file annotated with another --format?')
  return notes.map((note) => shown`${yellow('note')}  ${note}`)
}
