import type {
  ClassicMessage,
  ClassicVerdict,
  SignedBy,
  SignedByLease,
  VerifiedBundle,
} from 'alvarium-sdk/verify'
import { OUTCOMES, outcomeOfCode } from '../../foundation/model/outcome.js'
import { VERDICT_WORDS } from '../../foundation/model/verdict-words.js'
import { Unreadable } from '../input/files.js'
import { isMessage } from '../messages/found.js'
import { answer, answerWord, madeFromLines } from '../terminal/bundle-text.js'
import { colourText, MARKS, NEEDS } from '../terminal/outcome.js'
import { bold, dim, green, joinTexts, padText, red, type SafeText, safeText } from '../terminal/safe-text.js'
import { sdkName, short } from '../terminal/words.js'
import type { Alteration, ExaminedVerdict } from './altered.js'
import type { Verdict } from './verdict.js'

/**
 * Returns the rows of a verdict in a list: one per bundle; for a classic message, a heading and its
 * annotations; or the error with hints.
 */
export function verdictRows({ verdict, alteration }: ExaminedVerdict): SafeText[] {
  const mark = MARKS[VERDICT_WORDS[verdict.is]]
  if (verdict.format === 'bundle')
    return verdict.bundles.map((bundle) => safeText`${mark} ${bundleRow(bundle)}`)
  if (verdict.format === 'classic') return classicRows(verdict.place, verdict.classic, mark)
  const { place, error } = verdict
  if (error instanceof Unreadable)
    return [safeText`${mark} ${place}  expected ${error.expected}, got ${error.got}`]
  const row = safeText`${mark} ${place}  ${bold(error.code)}  ${error.message}`
  return [row, ...alterationRows(alteration), ...dataRows(verdict)]
}

function dataRows({ error, message }: Verdict & { readonly format: 'none' }): SafeText[] {
  if (error.code !== 'MESSAGE_MALFORMED' || isMessage({ message: message ?? error })) return []
  return [safeText`    is this the data itself? ${DATA_HINT}`]
}

const DATA_HINT = 'Give the messages about it: the file that annotate --out or a file stream wrote'

/** Returns the rows of the only verdict; for a message with one bundle, with all fields. */
export function cardOf(judged: ExaminedVerdict): SafeText[] {
  const { verdict } = judged
  if (verdict.format !== 'bundle' || verdict.bundles.length !== 1) return verdictRows(judged)
  const bundle = verdict.bundles[0] as VerifiedBundle
  return [
    colourText('holds', `${OUTCOMES.holds.mark} verified: nothing in it was altered`),
    ...fieldsOf(bundle).map(([name, value]) => safeText`  ${padText(name, 13)}${value}`),
    ...bundle.annotations.map(
      ({ kind, id, tag, isSatisfied }) =>
        safeText`    ${padText(kind, 10)} ${padText(answerWord(isSatisfied), 5)}${dim(id)}  ${tag}`,
    ),
  ]
}

function fieldsOf(bundle: VerifiedBundle): [string, string][] {
  const { action, key, hash, host, layer, timestamp, signer, payloadChecked, signedBy } = bundle
  const sourceFields = madeFromLines(bundle).map((line, at): [string, string] => [
    at === 0 ? 'made from' : '',
    line,
  ])
  return [
    ['action', action],
    ['key', `${key} (${hash})`],
    ...sourceFields,
    ['payload', payloadChecked ? 'the one that was given' : 'not compared (--payload compares it)'],
    ['host', `${host} (${layer})`],
    ['time', timestamp],
    ['signer', signedBy ? `${signedBy.name}, key ${signer}` : signer],
    ...(signedBy?.lease ? [['by lease', leaseText(signedBy.lease)] as [string, string]] : []),
    ...(signedBy ? [judgedBy(signedBy)] : []),
  ]
}

export function leaseText({ name, serial, until }: SignedByLease): string {
  return `${name === '' ? '' : `${name}, `}serial ${serial}, until ${until}`
}

function judgedBy({ time }: SignedBy): [string, string] {
  return [
    'judged by',
    time === 'signed' ? "the signer's own time: nobody knows when it came" : 'when it came',
  ]
}

function bundleRow({
  action,
  key,
  host,
  timestamp,
  signer,
  signedBy,
  annotations,
}: VerifiedBundle): SafeText {
  const answers = joinTexts(annotations.map(answer), '  ')
  return safeText`${padText(action, 7)}  ${short(key)}  ${padText(host, 8)}  ${timestamp}  ${answers}  ${dim(safeText`by ${signedBy?.name ?? short(signer)}`)}`
}

/**
 * Returns the rows for another SDK's message, whose signatures cover neither the action nor the number of
 * annotations. If the public key is missing for all annotations, a single row says so.
 */
function classicRows(place: string, classic: ClassicMessage, mark: SafeText): SafeText[] {
  const { action, dialect, annotations, says, needs } = classic
  const head = safeText`${mark} ${padText(action, 7)}  ${place}  ${dim(safeText`${sdkName(dialect)} SDK format; the action is not signed`)}`
  if (needs !== undefined && annotations.every(({ status }) => status === 'rejected'))
    return [head, safeText`    ${mark} ${says}; needs ${needs}`]
  return [head, ...annotations.map(classicRow)]
}

function classicRow(one: ClassicVerdict): SafeText {
  if (one.status === 'rejected') {
    const { code, message } = one.reason
    return safeText`    ${MARKS[outcomeOfCode(code)]} ${bold(code)}  ${message}`
  }
  const { kind, isSatisfied, key, host, timestamp, signer, signedBy } = one.value
  return safeText`    ${MARKS.holds} ${answer({ kind, isSatisfied })}  ${short(key)}  ${host}  ${timestamp}  ${dim(safeText`by ${signedBy?.name ?? short(signer)}`)}`
}

function alterationRows(alteration: Alteration | undefined): SafeText[] {
  if (!alteration) return []
  const { field, signed, came } = alteration
  const [, at] = /^annotations\[(\d+)\]\.isSatisfied$/.exec(field) ?? []
  const [name, ...values] =
    at === undefined
      ? [field, signed, came]
      : [`the answer of annotation ${Number(at) + 1}`, answerText(signed), answerText(came)]
  return [
    safeText`    ${bold(name)} was altered: signed is ${green(values[0])}, the message says ${red(values[1])}`,
  ]
}

function answerText(isSatisfied: string): string {
  return isSatisfied === 'true' ? 'yes' : 'no'
}

export function jsonOf({ verdict, alteration }: ExaminedVerdict): object {
  const { place, is } = verdict
  const head = { place, outcome: VERDICT_WORDS[is], verdict: is }
  if (verdict.format === 'bundle') return { ...head, format: 'bundle', bundles: verdict.bundles }
  if (verdict.format === 'classic') {
    const { action, dialect, says, needs, annotations } = verdict.classic
    const format = 'classic'
    return { ...head, says, needs, format, action, dialect, annotations: annotations.map(annotationOf) }
  }
  const { code, message } = verdict.error
  const needs = NEXT[verdict.is]
  return { ...head, needs, code, error: message, ...(alteration && { altered: alterationOf(alteration) }) }
}

const NEXT = {
  refused: undefined,
  'unknown signer': NEEDS.signer,
  unread: NEEDS.source,
  signed: NEEDS.received,
} as const

function annotationOf(one: ClassicVerdict): object {
  if (one.status === 'fulfilled') return { verdict: 'verified', ...one.value }
  const { code, message } = one.reason
  const verdict = code === 'SIGNER_UNKNOWN' ? 'unknown signer' : 'refused'
  return { verdict, code, error: message }
}

function alterationOf({ field, signed, came }: NonNullable<ExaminedVerdict['alteration']>): object {
  return { field, signed, came }
}
