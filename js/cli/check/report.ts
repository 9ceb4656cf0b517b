import type { CheckCounts, RecordPlace, SignedRecord } from 'alvarium-sdk/records'
import type { RecordDifference } from '../../evidence/records/findings.js'
import type { VerdictWord } from '../../foundation/model/verdict-words.js'
import { type FileFormat, type FormatOptions, formOf } from '../input/payloads.js'
import { MARKS } from '../terminal/outcome.js'
import { dim, joinTexts, padText, type SafeText, safeText } from '../terminal/safe-text.js'
import { count, countOf, short } from '../terminal/words.js'
import type { SignedSource } from './signed-source.js'

/** Formatter of findings. Adds the file and line of each signature, and the place of each record. */
export class Report {
  readonly #evidence: SignedSource
  readonly #options: FormatOptions

  /**
   * @param evidence - messages or manifest that the records were compared with
   * @param options - format of the records
   */
  constructor(evidence: SignedSource, options: FormatOptions) {
    this.#evidence = evidence
    this.#options = options
  }

  row(finding: RecordDifference): SafeText {
    return safeText`${MARKS['does not hold']} ${padText(finding.kind, 7)}  ${joinTexts(this.#partsOf(finding), '  ')}`
  }

  json(finding: RecordDifference): object {
    const { kind, ...rest } = finding
    if (!('signed' in finding)) return { finding: kind, ...rest }
    const { message, ...signed } = finding.signed
    return { finding: kind, ...rest, signed: { place: this.#evidence.placeOf({ message }), ...signed } }
  }

  #partsOf(finding: RecordDifference): SafeText[] {
    if (finding.kind === 'missing') return [this.#placeAfter(finding.after), this.#signedAt(finding.signed)]
    const record = this.#recordAt(finding.record)
    switch (finding.kind) {
      case 'altered':
        return [record, this.#signedAt(finding.signed)]
      case 'extra':
        return [
          record,
          finding.isCopy
            ? safeText`a copy of a record that was signed`
            : safeText`no message given is about it`,
        ]
      case 'moved':
        return [record, safeText`stood ${this.#placeAfter(finding.after)}`, this.#signedAt(finding.signed)]
      case 'twice':
        return [record, safeText`signed again, or a copy of it was removed`, this.#signedAt(finding.signed)]
    }
  }

  /** Formats the place of a record: `readings.csv:7` or, in a format without lines, `readings.parquet row 7`. */
  #recordAt({ name = '', line, number, by }: RecordPlace): SafeText {
    const part = PARTS[formOf({ name }, this.#options).format]
    const place = line === undefined ? safeText`${part ? ` ${part} ${number}` : ''}` : safeText`:${line}`
    return by === undefined ? safeText`${name}${place}` : safeText`${name}${place} (${by})`
  }

  #placeAfter(after: RecordPlace | undefined): SafeText {
    return after ? safeText`after ${this.#recordAt(after)}` : safeText`at the beginning`
  }

  #signedAt({ message, bundle, key }: SignedRecord): SafeText {
    const which = this.#evidence.isWhole ? 'record' : 'bundle'
    const place = this.#evidence.placeOf({ message })
    return dim(safeText`signed in ${place}, ${which} ${bundle}, key ${short(key)}`)
  }
}

/** Words for one record of the file formats that have no lines. */
const PARTS: Partial<Record<FileFormat, string>> = {
  chunks: 'piece',
  rows: 'row',
  'row-groups': 'row group',
  'length-prefixed': 'record',
}

/** Returns a summary such as `4 records: 3 as signed, 1 altered`. */
export function sumOf(counts: CheckCounts): string {
  const found = KINDS.filter((kind) => counts[kind] > 0).map((kind) => `${count(counts[kind])} ${kind}`)
  const parts = found.length > 0 ? found : ['none missing']
  return `${countOf(counts.records, 'record')}: ${[`${count(keptOf(counts))} as signed`, ...parts].join(', ')}`
}

const KINDS = ['altered', 'missing', 'extra', 'moved', 'twice'] as const satisfies readonly VerdictWord[]

export function keptOf({ records, altered, extra, moved }: CheckCounts): number {
  return records - altered - extra - moved
}

export function notesOf(counts: CheckCounts): string[] {
  const { others, records } = counts
  const notes: string[] = []
  if (others > 0)
    notes.push(`${countOf(others, 'bundle')} of other actions not compared: --action chooses one`)
  if (keptOf(counts) === 0 && records > 0)
    notes.push('no record is as it was signed: was the file annotated with another --format?')
  return notes
}
