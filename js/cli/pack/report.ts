import type { Outcome } from 'alvarium-sdk'
import type { PackAbsence, PackSigner, PackStatement, VerifiedPack } from 'alvarium-sdk/packs'
import { AlvariumError } from '../../base/errors.js'
import { OUTCOMES } from '../../model/outcome.js'
import { quotation } from '../../packs/words.js'
import { EXIT, type ExitCode } from '../session.js'
import { bold, dim, green, joined, red, type Shown, shown, yellow } from '../terminal/shown.js'
import { count, counted, short } from '../terminal/words.js'

/** More nobody reads. */
const MAX_ROWS = 20

const COLOURS = { green, red, amber: yellow }

/** The mark of an outcome, in its colour. */
export function markOf(outcome: Outcome): Shown {
  const { mark, colour } = OUTCOMES[outcome]
  return COLOURS[colour](mark)
}

/** The exit code of an outcome. */
export function exitFor({ outcome }: Pick<VerifiedPack, 'outcome'>): ExitCode {
  return outcome === 'holds' ? EXIT.yes : outcome === 'does not hold' ? EXIT.no : EXIT.unknown
}

/** The verdict on a pack, for people. @param name - the file, where the reader may not know which it is */
export function rowsOf(pack: VerifiedPack, name?: string): Shown[] {
  const { outcome, says, needs, id, missing } = pack
  const place = name === undefined ? '' : shown`${bold(name)}: `
  return [
    ...faultRows(pack),
    ...missing.slice(0, MAX_ROWS).map(absenceRow),
    ...more(missing.length - MAX_ROWS, 'range'),
    shown`${markOf(outcome)} ${place}${says}`,
    ...(needs === undefined ? [] : [shown`  ${needs}`]),
    shown`  id ${id}`,
  ]
}

function faultRows({ faults, verdict }: VerifiedPack): Shown[] {
  const rows = faults.slice(0, MAX_ROWS).map(({ part, line, error }) => {
    const outcome = error.code === 'SIGNER_UNKNOWN' ? 'cannot tell' : 'does not hold'
    return shown`${markOf(outcome)} ${part}:${line}  ${error.code}  ${error.message}`
  })
  // Of very many, not all are kept.
  const bad = Object.values(verdict.lines).map(({ refused, unknownSigner }) => refused + unknownSigner)
  return [
    ...rows,
    ...more(
      bad.reduce((sum, one) => sum + one, -rows.length),
      'line',
    ),
  ]
}

function more(rest: number, what: string): Shown[] {
  return rest > 0 ? [shown`  ${counted(rest, `more ${what}`)}: --json shows the first 1,000`] : []
}

const FATES = {
  missing: '',
  refused: ', which the stream of the signer had refused',
  undecided: ', which the stream of the signer had not accepted yet',
}

function absenceRow({ signer, run, first, last, since, until, fate }: PackAbsence): Shown {
  const positions =
    first === last ? `position ${count(first)}` : `positions ${count(first)} to ${count(last)}`
  const log = `of run ${short(run)} of ${short(signer)}`
  const what = `${counted(last - first + 1, 'message')} missing at ${positions} ${log}`
  return shown`${red('✗')} ${what}, signed between ${since} and ${until}${FATES[fate]}`
}

function signerRow(one: PackSigner, pack: VerifiedPack): Shown {
  const { statements, yes, no, since, until } = one
  const answers = `${count(yes)} yes, ${count(no)} no`
  const name = bold(nameOf(one, pack))
  return shown`  ${name}  ${counted(statements, 'statement')}  ${answers}  ${dim(`${since} to ${until}`)}`
}

/** The name of a signer: a quotation, where the author of the pack chose it. */
function nameOf({ signer }: { readonly signer: string }, { trustedBy }: VerifiedPack): string {
  return trustedBy === 'pack' ? quotation(signer) : signer
}

/** Who said what, for people: each signer, then each statement. */
export function* listRows(pack: VerifiedPack): Generator<Shown, void> {
  for (const one of pack.signers) yield signerRow(one, pack)
  for (const one of pack.statements) yield statementRow(one, pack)
}

function statementRow(statement: PackStatement, pack: VerifiedPack): Shown {
  const { host, timestamp, action, key, yes, no } = statement
  const name = bold(nameOf(statement, pack))
  const answers = joined([...yes.map((kind) => green(`✓ ${kind}`)), ...no.map((kind) => red(`✗ ${kind}`))])
  const what = action ?? 'annotation of another SDK'
  return shown`  ${name}  ${host}  ${timestamp}  ${what}  ${short(key)}  ${answers}`
}

/** The same for programs. */
export function jsonOf({ fabric: _, policy: __, lowest: ___, faults, ...pack }: VerifiedPack): object {
  return {
    ...pack,
    faults: faults.map(({ part, line, error }) => ({ part, line, code: error.code, message: error.message })),
  }
}

/** The verdict on a file that could not be read as a pack. */
interface UnreadPack {
  readonly outcome: Outcome
  readonly says: string
  readonly needs?: string
  readonly code: string
}

/** Why a file could not be read as a pack: it was altered, or it is none. Nothing of an error that says nothing about the file. */
export function unreadPack(error: unknown): UnreadPack | undefined {
  if (!(error instanceof AlvariumError)) return undefined
  const { code, message } = error
  if (code === 'MESSAGE_MALFORMED') return { outcome: 'does not hold', says: message, code }
  const needs = 'Get the file as it was made: inside another archive, no mail program rewrites it.'
  return code === 'PACK_UNREADABLE' ? { outcome: 'cannot tell', says: message, needs, code } : undefined
}

export function unreadRows({ outcome, says, needs }: UnreadPack): Shown[] {
  return [shown`${markOf(outcome)} ${says}`, ...(needs === undefined ? [] : [shown`  ${needs}`])]
}
