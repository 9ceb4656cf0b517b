import type { Gap, RunName, SignerReport } from 'alvarium-sdk/completeness'
import { VERDICT_WORDS } from '../../foundation/model/verdict-words.js'
import { colourText, MARKS } from '../terminal/outcome.js'
import { dim, padText, red, type SafeText, safeText, type TextValue, yellow } from '../terminal/safe-text.js'
import { count, countOf, positionsText, short } from '../terminal/words.js'

/** Maximum number of rows shown per kind of finding. The report counts the remaining ones. */
export const MAX_ROWS = 20

/**
 * Changes the verdict `incomplete` to `unknown` if a source could not be read, because that source may
 * contain the missing messages. The verdict stays if a log has two versions (`forks`), if a message is in no
 * log (`unlisted`), or if witnesses contradict each other, because no unread source can disprove these
 * findings.
 */
export function judgedReport(report: SignerReport, hasUnread: boolean): SignerReport {
  const isShown =
    report.forks.length + report.unlisted.length > 0 || report.witnessed?.outcome === 'does not hold'
  if (report.verdict !== 'incomplete' || !hasUnread || isShown) return report
  const says = `${report.says}; a source could not be read`
  return { ...report, verdict: 'unknown', outcome: VERDICT_WORDS.unknown, says, needs: 'read all sources' }
}

export function signerRows(report: SignerReport): SafeText[] {
  const { signer, forks, gaps, missing, missingInGaps, unlisted } = report
  const inGaps = missingInGaps > 0 ? [`at least ${countOf(missingInGaps, 'message')} of the gaps`] : []
  return [
    headOf(report),
    ...rows(
      colourText(VERDICT_WORDS[report.verdict], 'missing'),
      missing.map((one) => safeText`${placeOf(one, signer)}, ${countOf(one.bundles, 'bundle')}`),
    ),
    ...rows(
      yellow('gap'),
      gaps.map((gap) => safeText`${placeOf(gap, signer)}, without a checkpoint`),
    ),
    ...rows(colourText(VERDICT_WORDS[report.verdict], 'missing'), inGaps),
    ...rows(
      red('forked'),
      forks.map((fork) => safeText`${runOf(fork, signer)}, two logs from size ${count(fork.size)} on`),
    ),
    ...rows(
      red('unlisted'),
      unlisted.map(({ id, timestamp }) => `${id}, ${timestamp}: in no log`),
    ),
    ...rows(yellow('unknown'), unknownOf(report)),
    ...rows(dim('open'), openOf(report)),
    ...rows(dim('seen'), report.witnessed ? [report.witnessed.says] : []),
  ]
}

function headOf({ signer, name, verdict, messages, runs }: SignerReport): SafeText {
  const mark = MARKS[VERDICT_WORDS[verdict]]
  const until = runs
    .map((run) => run.until)
    .sort()
    .at(-1)
  const upTo =
    until === undefined
      ? 'no checkpoint from this signer was given'
      : `${countOf(runs.length, 'run')}, last checkpoint ${until}`
  const signerText = name === undefined ? safeText`${signer}` : safeText`${name} ${dim(short(signer))}`
  return safeText`${mark} ${signerText}  ${verdict}: ${countOf(messages, 'message')}, ${upTo}`
}

function unknownOf({ runs, gaps, refused, pending, unknown }: SignerReport): string[] {
  const isGap = ({ keyId, run }: RunName) =>
    gaps.some((gap) => gap.keyId === keyId && gap.run === run && gap.first === 0)
  const before = runs.reduce((total, run) => (isGap(run) ? total : total + run.before), 0)
  const counts: [number, string][] = [
    [refused, 'not there: the signer says that its stream refused them'],
    [pending, 'not there, and perhaps still in transit'],
    [unknown, 'there, but in no given checkpoint'],
    [before, 'before the first given checkpoint'],
  ]
  return counts.flatMap(([number, text]) => (number > 0 ? [`${countOf(number, 'message')} ${text}`] : []))
}

function openOf({ runs }: SignerReport): string[] {
  const open = runs.filter(({ hasEnded }) => !hasEnded).length
  return open > 0 ? [`${countOf(open, 'run')} without an end: in use, or killed`] : []
}

/** Returns the name of a run, with the key id if the run was signed with a leased key, not the signer's own. */
function runOf({ keyId, run }: RunName, signer: string): SafeText {
  return keyId === signer ? safeText`run ${short(run)}` : safeText`run ${short(run)} of key ${short(keyId)}`
}

function placeOf(gap: Gap, signer: string): SafeText {
  const { first, last, since, until } = gap
  return safeText`${countOf(last - first + 1, 'message')}: ${positionsText(gap)} of ${runOf(gap, signer)}, ${since} to ${until}`
}

function rows(kind: SafeText, texts: readonly TextValue[]): SafeText[] {
  const shownOf = (text: TextValue) => safeText`    ${padText(kind, 8)}  ${text}`
  const more = texts.length - MAX_ROWS
  const rest = more > 0 ? [shownOf(`${count(more)} more: --json shows all`)] : []
  return [...texts.slice(0, MAX_ROWS).map(shownOf), ...rest]
}
