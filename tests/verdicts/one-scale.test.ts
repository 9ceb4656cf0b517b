import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { percentOf, type ScoringPolicyFile } from 'alvarium-sdk/score'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Random } from '../attack/random.mjs'
import { pythonWithCryptography } from '../running/python.mjs'
import { type Postgres, startPostgres } from '../store/postgres.mjs'
import {
  evidence,
  KINDS,
  openScorers,
  type PayloadInFile,
  type Scorer,
  type Shower,
  scorersAlone,
} from './scorers.js'

let server: Postgres
beforeAll(async () => {
  server = await startPostgres('oldest')
})
afterAll(() => server?.stop())

function policiesOf(random: Random): ScoringPolicyFile[] {
  const share = () => (1 + random.below(9_999)) / 10_000
  return (['own', 'min', 'product'] as const).map((ancestors) => ({
    version: 1,
    ancestors,
    weights: Object.fromEntries(KINDS.map((kind) => [kind, random.below(1_000)])),
    trust: KINDS.map((kind) => ({ kind, trust: share() })),
  }))
}

/** Asks all scorers about a payload. @returns the score, if they agree */
async function agree(
  asked: PayloadInFile,
  scorers: Record<string, Scorer>,
  showers: Record<string, Shower>,
): Promise<number> {
  const scores: Record<string, unknown> = {}
  for (const [name, scorer] of Object.entries(scorers)) scores[name] = await scorer(asked)
  const score = Number(Object.values(scores)[0])
  expect(scores).toEqual(Object.fromEntries(Object.keys(scores).map((name) => [name, score])))
  expect(score >= 0 && score <= 1, `${score} is from 0 to 1`).toBe(true)
  expect(`${score}`).toMatch(/^[01]$|^0\.\d{0,3}[1-9]$/)
  for (const [name, { show, format }] of Object.entries(showers)) {
    expect(await show(asked), name).toContain(format(score))
  }
  return score
}

// claim: scoring-8
it('every public API that yields a score yields the same number from 0 to 1, and the command prints it as a percentage', async () => {
  const random = new Random(45)
  const given = await evidence(random, 4)
  const seen = new Set<number>()
  for (const policy of policiesOf(random)) {
    const opened = await openScorers(given, policy, server.url)
    const alone = policy.ancestors === 'own' ? scorersAlone(opened, policy) : {}
    for (const asked of opened.files.asked) {
      seen.add(await agree(asked, { ...opened.scorers, ...alone }, opened.showers))
    }
    await opened.close()
  }
  expect(seen.size).toBeGreaterThan(6)
})

it('only the public types that this test lists have a score or a trust value', () => {
  const folder = fileURLToPath(new URL('../packaging/api', import.meta.url))
  const scores = readdirSync(folder).flatMap((name) => {
    const text = readFileSync(join(folder, name), 'utf8')
    const members = text.matchAll(/^ +(?:readonly )?(score|own|trust)\??[:(].*\b(?:number|Score|Verdict)\b/gm)
    const typeAt = (at: number) =>
      [...text.slice(0, at).matchAll(/^export (?:class|interface) (\w+)/gm)].at(-1)
    return Array.from(members, (member) => `${typeAt(member.index)?.[1]}.${member[1]}`)
  })
  expect(scores.sort()).toEqual([
    ...['AncestorScore.score', 'Answer.trust', 'EnvironmentScore.score', 'PackVerdict.score'],
    ...['StoreQuestions.score', 'TrustRule.trust', 'Verdict.score', 'Why.own'],
  ])
})

it('every score is the same text in the JSON of JavaScript and Python, and an exact percentage', () => {
  const scores = Array.from({ length: 10_001 }, (_, units) => units / 10_000)
  const program = 'import json, packs; print(json.dumps([packs.share_of(units) for units in range(10_001)]))'
  const cwd = fileURLToPath(new URL('../independent', import.meta.url))
  const python = execFileSync(pythonWithCryptography(), ['-B', '-c', program], { cwd, encoding: 'utf8' })
  expect(python.trim().replaceAll(' ', '')).toBe(JSON.stringify(scores))
  expect(scores.filter((score, units) => percentOf(score) !== units / 100)).toEqual([])
})
