// Verdicts of the package on witnesses, in the words of the verifier in Python.

import { verifyLogProof } from 'alvarium-sdk/store'
import { verifyWitnessed } from 'alvarium-sdk/witness'

/** Patterns of sentences about faults, and their words in Python. */
const FAULTS = [
  [/^a line of (\S+) at size (\d+) does not verify$/, 'line'],
  [/^the log has two roots at size (\d+): /, 'fork'],
  [/^(\S+) has signed two logs of size (\d+)$/, 'two'],
  [/^(\S+) has signed size \d+ at .+, after size \d+ at .+$/, 'back'],
]

/** @param {readonly string[]} says sentences of faults @returns {unknown[]} the faults, without duplicates */
export function faultsOf(says) {
  const found = new Map(says.map((fault) => faultOf(fault)).map((fault) => [JSON.stringify(fault), fault]))
  return [...found.values()].sort()
}

function faultOf(says) {
  const [, run, fault] = /^(?:run ([\da-f]{8})…: )?(.+)$/.exec(says)
  for (const [pattern, word] of FAULTS) {
    const found = pattern.exec(fault)?.slice(1)
    if (!found) continue
    const facts = found.map((one) => (/^\d+$/.test(one) ? Number(one) : one))
    return [...(run ? [run] : []), word, ...facts]
  }
  throw new Error(`a fault without a word in Python: ${says}`)
}

/** Returns the verdict on a log. @param {import('alvarium-sdk/witness').WitnessVerdict} verdict */
export function logVerdict({ verdict, outcome, faults, size, seen, by }) {
  const told = { verdict, outcome, faults: faultsOf(faults) }
  return verdict === 'contradicted' ? told : { ...told, size, seen, ...(by !== undefined && { by }) }
}

/** Returns the verdict on runs. @param {import('alvarium-sdk/completeness').SeenRuns} seenRuns */
export function runsVerdict({ verdict, outcome, faults, unseen, since, seen }) {
  const told = { verdict, outcome, faults: faultsOf(faults), unseen }
  return { ...told, ...(since !== undefined && { since, seen }) }
}

/**
 * Answers a question, about notes or about a proof, that Python is asked too.
 *
 * @param {import('./witness-makes.mjs').NotesQuestion | import('./witness-makes.mjs').ProofQuestion} question
 * @returns {any}
 */
export function ourWitnessed(question) {
  const { notes, proof_of: id, text, vkey, witnesses, quorum } = /** @type {any} */ (question)
  try {
    if (notes) return { witnessed: logVerdict(verifyWitnessed(notes, { vkey, witnesses, quorum })) }
    const { index, size, root, witnessed } = verifyLogProof(text, { id, vkey, witnesses, quorum })
    return { log: { index, size, root, ...(witnessed && { witnessed: logVerdict(witnessed) }) } }
  } catch (error) {
    if (typeof error.code !== 'string') throw error
    return { code: error.code }
  }
}

/** Sorts the faults of Python's answer like ours. @returns {any} */
export function sortedFaults(answer) {
  return JSON.parse(JSON.stringify(answer), (name, value) => (name === 'faults' ? value.sort() : value))
}
