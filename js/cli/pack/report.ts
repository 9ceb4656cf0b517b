import type { Absence, PackSigner, PackStatement, VerifiedPack } from 'alvarium-sdk/packs'
import { quotation } from '../../evidence/packs/words.js'
import { AlvariumError } from '../../foundation/base/errors.js'
import { type Outcome, outcomeOfCode } from '../../foundation/model/outcome.js'
import { answer } from '../terminal/bundle-text.js'
import { MARKS } from '../terminal/outcome.js'
import { bold, dim, joinTexts, red, type SafeText, safeText } from '../terminal/safe-text.js'
import { count, countOf, positionsText, short } from '../terminal/words.js'

const MAX_ROWS = 20

/** Returns the text report of a pack. @param name - name of the file, if the reader may not know it */
export function packRows(pack: VerifiedPack, name?: string): SafeText[] {
  const { outcome, says, needs, id, missing } = pack
  const place = name === undefined ? '' : safeText`${bold(name)}: `
  return [
    ...faultRows(pack),
    ...missing.slice(0, MAX_ROWS).map(absenceRow),
    ...moreRows(missing.length - MAX_ROWS, 'range'),
    safeText`${MARKS[outcome]} ${place}${says}`,
    ...(needs === undefined ? [] : [safeText`  ${needs}`]),
    safeText`  id ${id}`,
  ]
}

function faultRows({ faults, verdict }: VerifiedPack): SafeText[] {
  const rows = faults.slice(0, MAX_ROWS).map(({ part, line, error }) => {
    return safeText`${MARKS[outcomeOfCode(error.code)]} ${part}:${line}  ${error.code}  ${error.message}`
  })
  // Calculate the number of remaining faults from the counts, because `faults` lists only the first ones.
  const bad = Object.values(verdict.lines).map(({ refused, unknownSigner }) => refused + unknownSigner)
  return [
    ...rows,
    ...moreRows(
      bad.reduce((sum, one) => sum + one, -rows.length),
      'line',
    ),
  ]
}

function moreRows(rest: number, noun: string): SafeText[] {
  return rest > 0 ? [safeText`  ${countOf(rest, `more ${noun}`)}: --json shows the first 1,000`] : []
}

const FATES = {
  missing: '',
  refused: ', which the stream of the signer had refused',
  undecided: ', which the stream of the signer had not accepted yet',
}

function absenceRow(absence: Absence): SafeText {
  const { keyId, run, first, last, since, until, fate } = absence
  const log = `of run ${short(run)} of ${short(keyId)}`
  const summary = `${countOf(last - first + 1, 'message')} missing at ${positionsText(absence)} ${log}`
  return safeText`${red('✗')} ${summary}, signed between ${since} and ${until}${FATES[fate]}`
}

function signerRow(one: PackSigner, pack: VerifiedPack): SafeText {
  const { statements, yes, no, since, until } = one
  const answers = `${count(yes)} yes, ${count(no)} no`
  const name = bold(signerName(one, pack))
  return safeText`  ${name}  ${countOf(statements, 'statement')}  ${answers}  ${dim(`${since} to ${until}`)}`
}

/** Returns the name of a signer, in quotation marks if the pack's author chose it. */
function signerName({ signer }: { readonly signer: string }, { trustedBy }: VerifiedPack): string {
  return trustedBy === 'pack' ? quotation(signer) : signer
}

/** Yields one row per signer, then one row per verified bundle or annotation of another SDK. */
export function* listRows(pack: VerifiedPack): Generator<SafeText, void> {
  for (const one of pack.signers) yield signerRow(one, pack)
  for (const one of pack.statements) yield statementRow(one, pack)
}

function statementRow(statement: PackStatement, pack: VerifiedPack): SafeText {
  const { host, timestamp, action, key, yes, no } = statement
  const name = bold(signerName(statement, pack))
  const answers = [
    ...yes.map((kind) => answer({ kind, isSatisfied: true })),
    ...no.map((kind) => answer({ kind, isSatisfied: false })),
  ]
  const actionLabel = action ?? 'annotation of another SDK'
  return safeText`  ${name}  ${host}  ${timestamp}  ${actionLabel}  ${short(key)}  ${joinTexts(answers, '  ')}`
}

export function jsonOf({ fabric: _, policy: __, lowest: ___, faults, ...pack }: VerifiedPack): object {
  return {
    ...pack,
    faults: faults.map(({ part, line, error }) => ({ part, line, code: error.code, message: error.message })),
  }
}

interface UnreadPack {
  readonly outcome: Outcome
  readonly says: string
  readonly needs?: string
  readonly code: string
}

/** Returns the verdict on a file that is altered or not a pack; undefined for any other error. */
export function unreadPack(error: unknown): UnreadPack | undefined {
  if (!(error instanceof AlvariumError)) return undefined
  const { code, message } = error
  if (code !== 'MESSAGE_MALFORMED' && code !== 'PACK_UNREADABLE') return undefined
  const outcome = outcomeOfCode(code)
  const needs = 'Get the file as it was made: inside another archive, no mail program rewrites it.'
  return { outcome, says: message, ...(outcome === 'cannot tell' && { needs }), code }
}

export function unreadRows({ outcome, says, needs }: UnreadPack): SafeText[] {
  return [safeText`${MARKS[outcome]} ${says}`, ...(needs === undefined ? [] : [safeText`  ${needs}`])]
}
