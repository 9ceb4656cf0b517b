import { existsSync } from 'node:fs'
import { keyOf } from 'alvarium-sdk/verify'
import { invalid } from '../fault.js'
import { allOf, fileSource } from '../input/source.js'
import type { Run } from '../session.js'
import { dim, shown } from '../terminal/shown.js'
import { counted } from '../terminal/words.js'
import type { Confidence, Known } from './confidence.js'
import { type GatherOptions, gathered } from './gather.js'
import { answersIn, jsonOf, percent } from './report.js'

/** Deep enough for people; `--json` has all. */
const MOST_INDENTED = 30

export const run: Run<GatherOptions & { readonly json?: boolean }> = async (
  [asked = '', ...sources],
  options,
  session,
) => {
  const { confidence, code } = await gathered(sources, options, session)
  const key = await keyFor(asked, confidence)
  for (const [depth, known] of confidence.lineage(key)) {
    const score = confidence.score(known)
    if (options.json) await session.out.json({ depth, ...jsonOf(known, score) })
    else await session.out.line(rowOf(depth, known, score))
  }
  return code
}

function rowOf(depth: number, known: Known, score: number) {
  const indent = '  '.repeat(Math.min(depth, MOST_INDENTED))
  const made = depth > 0 ? dim('made from ') : ''
  return shown`${percent(score)}  ${indent}${made}${known.key}  ${answersIn(known)}`
}

/** What was asked for may be a file with the payload, a key, or so much of one that there is no other. */
async function keyFor(asked: string, confidence: Confidence): Promise<string> {
  if (existsSync(asked)) return keyOf(await allOf(fileSource(asked)))
  const start = asked.toUpperCase()
  const keys = [...confidence.payloads()].map(({ key }) => key).filter((key) => key.startsWith(start))
  if (keys.includes(start)) return start
  const [only, ...others] = keys
  if (only !== undefined && others.length === 0) return only
  const got =
    only === undefined ? 'one of which nothing is said' : `the beginning of ${counted(keys.length, 'key')}`
  throw invalid('key', 'the key of a payload, or a file with one', got)
}
