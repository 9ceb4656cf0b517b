// @slow: it runs a verifier of others

import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { Random } from '../attack/random.mjs'
import { CASES, proofQuestion, seenLog } from '../attack/witness-makes.mjs'
import { ourWitnessed } from '../attack/witness-verdicts.mjs'
import { utf8 } from '../support/bytes.js'
import { noteOf } from '../support/checkpoints.js'
import { goldenCheckpoints } from '../support/vectors.js'
import { NoteSigner } from '../witness/logs.mjs'
import { isBuilt } from './golang.js'

// filippo.io/torchwood, the library of litewitness. Cases outside FORMAT.md's rules are left out:
// golang.org/x/mod/sumdb/note ignores further lines of a key, reads base64 with stray bits, and accepts 100 lines;
// torchwood accepts times of 63 bits.
const OTHER_RULES = [
  'two lines of one witness',
  'a good line of a witness, and another one',
  'a time that does not fit',
  'more lines than a note may have',
  'the line of the log twice, or not at all',
  'another spelling of a line',
  'a character of the note',
  'a key twice among the witnesses, or a quorum of more',
]

const folder = mkdtempSync(join(tmpdir(), 'alvarium-torchwood-'))
const command = join(folder, 'verifier')
const isThere = isBuilt('torchwood', command, 'what torchwood says of cosignatures')
afterAll(() => rmSync(folder, { recursive: true }))

/** A verdict in the words of the program. */
interface Answer {
  readonly verdict: string
  readonly size: number
  readonly seen: number
  readonly by?: number
}

function answers(questions: readonly object[]): Answer[] {
  const input = questions.map((one) => `${JSON.stringify(one)}\n`).join('')
  const { status, stdout, stderr } = spawnSync(command, { input, encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
}

/** Returns an answer in our words: a proof verifies by its checkpoint. */
function inOurWords({ verdict, size, seen, by }: Answer, isProof: boolean) {
  const codes: Record<string, string> = {
    contradicted: 'SIGNATURE_INVALID',
    unwitnessed: 'WITNESSES_MISSING',
  }
  if (verdict === 'none') return isProof ? 'PROOF_INVALID' : 'none'
  if (isProof && codes[verdict]) return codes[verdict]
  if (verdict === 'contradicted') return verdict
  return { verdict, size, seen, ...(by !== undefined && { by: timeText(by) }) }
}

function timeText(seconds: number): string {
  return seconds > 253_402_300_799
    ? `${seconds} s since 1970`
    : `${new Date(seconds * 1000).toISOString().slice(0, -5)}Z`
}

function ourAnswer(question: Parameters<typeof ourWitnessed>[0]) {
  const { code, witnessed, log } = ourWitnessed(question)
  if (code !== undefined) return code
  const { verdict, size, seen, by } = witnessed ?? log.witnessed
  return verdict === 'contradicted' ? verdict : { verdict, size, seen, ...(by !== undefined && { by }) }
}

describe.skipIf(!isThere)("Go's library torchwood", () => {
  it('agrees with the SDK on notes and proofs with crafted, moved and altered witness signatures', () => {
    const random = new Random(51)
    const kinds = Object.entries(CASES).filter(([kind]) => !OTHER_RULES.includes(kind))
    const asked = kinds.flatMap(([kind, { make }]) =>
      Array.from({ length: 40 }, () => {
        const seen = seenLog(random)
        const question = make(random, seen)
        const isProof = question.notes.length === 1 && random.below(2) === 0
        return { kind, isProof, question: isProof ? proofQuestion(random, seen, question) : question }
      }),
    )
    const theirs = answers(asked.map(({ question }) => question))
    for (const [at, { kind, isProof, question }] of asked.entries())
      expect(ourAnswer(question), `${kind}: ${JSON.stringify(question)}`).toEqual(
        inOurWords(theirs[at] as Answer, isProof),
      )
    expect(new Set(theirs.map(({ verdict }) => verdict))).toEqual(
      new Set(['witnessed', 'unwitnessed', 'contradicted', 'none']),
    )
  })

  it("accepts the witness signatures of a run's checkpoints, unless moved to a different checkpoint", () => {
    const { cases, vkey } = goldenCheckpoints()
    const witness = new NoteSigner('witness.example/w1', 4)
    const notes = cases.map(({ message }) => noteOf(utf8(message)))
    const texts = notes.map((note) => note.slice(0, note.lastIndexOf('\n\n') + 1))
    const lines = texts.map((text) => witness.line(text, 1_800_000_000))
    const questionOf = (note: string) => ({ vkey, witnesses: [witness.vkey], quorum: 1, notes: [note] })
    const right = notes.map((note, at) => questionOf(note + lines[at]))
    const wrong = notes.map((note, at) => questionOf(note + lines[(at + 1) % lines.length]))
    const told = answers([...right, ...wrong]).map(({ verdict }) => verdict)
    expect(told).toEqual([...right.map(() => 'witnessed'), ...wrong.map(() => 'contradicted')])
    expect([...right, ...wrong].map((one) => ourWitnessed(one).witnessed.verdict)).toEqual(told)
  })
})
