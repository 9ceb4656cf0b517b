import type { Output } from '../terminal/output.js'
import { dim, green, red, type SafeText, safeText } from '../terminal/safe-text.js'
import type { EditedPolicy } from './policy-file.js'

const CONTEXT_LINES = 2

export async function tellDifference({ before, after }: EditedPolicy, out: Output): Promise<void> {
  await out.lines(differenceRows(before.split('\n'), after.split('\n')))
}

function differenceRows(before: readonly string[], after: readonly string[]): SafeText[] {
  const rows: SafeText[] = []
  const equalLines: string[] = []
  let isLong = false
  for (const { mark, line } of changesBetween(before, after)) {
    if (mark === ' ') {
      equalLines.push(line)
      continue
    }
    rows.push(...around(equalLines.splice(0), isLong))
    isLong = true
    rows.push(mark === '+' ? green(`+ ${line}`) : red(`- ${line}`))
  }
  rows.push(...equalLines.slice(0, CONTEXT_LINES).map((line) => dim(`  ${line}`)))
  return rows
}

function around(equalLines: readonly string[], isBetween: boolean): SafeText[] {
  const first = isBetween ? equalLines.slice(0, CONTEXT_LINES) : []
  const last = equalLines.slice(Math.max(first.length, equalLines.length - CONTEXT_LINES))
  const isCut = first.length + last.length < equalLines.length
  return [...first, ...(isCut ? ['…'] : []), ...last].map((line) => safeText`${dim(`  ${line}`)}`)
}

interface DiffLine {
  readonly mark: ' ' | '+' | '-'
  readonly line: string
}

/** Compares two texts line by line. Strips the equal lines at both ends first. */
function changesBetween(before: readonly string[], after: readonly string[]): DiffLine[] {
  let start = 0
  while (start < before.length && before[start] === after[start]) start++
  let end = 0
  const maxEnd = Math.min(before.length, after.length) - start
  while (end < maxEnd && before.at(-1 - end) === after.at(-1 - end)) end++
  const same = (lines: readonly string[]): DiffLine[] => lines.map((line) => ({ mark: ' ', line }))
  return [
    ...same(before.slice(0, start)),
    ...middle(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...same(end > 0 ? before.slice(-end) : []),
  ]
}

function middle(before: readonly string[], after: readonly string[]): DiffLine[] {
  const common = before.findIndex((line) => after.includes(line))
  if (common < 0) {
    return [
      ...before.map((line): DiffLine => ({ mark: '-', line })),
      ...after.map((line): DiffLine => ({ mark: '+', line })),
    ]
  }
  const at = after.indexOf(before[common] as string)
  return [
    ...before.slice(0, common).map((line): DiffLine => ({ mark: '-', line })),
    ...after.slice(0, at).map((line): DiffLine => ({ mark: '+', line })),
    { mark: ' ', line: before[common] as string },
    ...middle(before.slice(common + 1), after.slice(at + 1)),
  ]
}
