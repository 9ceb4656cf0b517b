// Attacks that count a forged witness's line towards a quorum. Notes have lines that are crafted, moved, copied or
// missing, and logs have two roots. Node and the verifier in Python must agree on each; many have one right verdict.

import { askPython } from './python.mjs'
import { Random } from './random.mjs'
import { inRounds } from './tally.mjs'
import { timed } from './timed.mjs'
import { CASES, proofQuestion, seenLog } from './witness-makes.mjs'
import { ourWitnessed, sortedFaults } from './witness-verdicts.mjs'

/** Questions per round. */
const EACH = 200

/** @param {{ seed: number, count: number }} options */
export async function witnesses({ seed, count }) {
  const random = new Random(seed, 48)
  const python = askPython([])
  const round = async (tally) => {
    const questions = Array.from({ length: EACH }, () => questionBy(random))
    const answers = await python.verdicts(questions.map(({ question }) => question))
    for (const [at, one] of questions.entries()) await compare(tally, one, sortedFaults(answers[at]))
  }
  return inRounds({ round, close: () => python.close() }, count)
}

function questionBy(random) {
  const [kind, seen] = [random.pick(Object.keys(CASES)), seenLog(random)]
  const question = CASES[kind].make(random, seen)
  // A proof has one note.
  const isProof = question.notes.length === 1 && random.below(3) === 0
  return { kind, isProof, question: isProof ? proofQuestion(random, seen, question) : question }
}

async function compare(tally, { kind, isProof, question }, theirs) {
  tally.count(kind)
  tally.verdicts++
  const { value: ours } = await timed(() => ourWitnessed(question), tally)
  const told = ours.code ?? ours.witnessed?.verdict ?? 'in the log'
  tally.outcomes(`${kind}: told ${told}`, 1)
  if (JSON.stringify(ours) !== JSON.stringify(theirs))
    tally.disagreement(
      `${kind}: Node says ${JSON.stringify(ours)}, Python ${JSON.stringify(theirs)}`,
      question,
    )
  const { is, code } = CASES[kind]
  const wanted = code ?? (is && isProof ? 'SIGNATURE_INVALID' : is)
  if (wanted !== undefined && told !== wanted)
    tally.disagreement(`${kind} is told ${told}, for ${wanted}`, question)
}
