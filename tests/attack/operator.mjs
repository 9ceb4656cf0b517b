// Attacks of an operator who hides evidence. Twenty signers have witnessed checkpoints, and a store has a witnessed
// log. One of three witnesses lies, stalls or signs forks. The operator drops, hides, cuts, forks, backdates and adds
// late. A reader with a quorum of two must find each act, by number and time.

import './virtual-clock.mjs'
import { ACTS, all } from './operator-acts.mjs'
import { honestRound, runAgain, SIGNERS } from './operator-makes.mjs'
import { judge } from './operator-reads.mjs'
import { STORE_ACTS } from './operator-store.mjs'
import { Random } from './random.mjs'
import { inRounds } from './tally.mjs'
import { virtualClock } from './virtual-clock.mjs'

/** Messages per signer and round; fewer if fewer are wanted. */
const EACH = 1000

/** @param {{ seed: number, count: number }} options */
export async function operator({ seed, count }) {
  const random = new Random(seed, 49)
  const each = Math.max(24, Math.min(EACH, Math.ceil(count / SIGNERS)))
  const round = async (tally) => {
    const start = performance.now()
    const made = await honestRound(random, each)
    made.moreOf = (signer) => runAgain(random, signer, { ...made, each })
    for (const one of made.signers) for (const _ of all(one).messages) tally.count('signed')
    genuine(tally, made)
    await attack(tally, random, made)
    for (const [act, isFound] of Object.entries(STORE_ACTS)) {
      addFinding(tally, act, await isFound(random, made), 1)
    }
    for (const [lie, times] of Object.entries(made.counts)) tally.outcomes(`the liar ${lie}`, times)
    await made.close()
    virtualClock.now += 3_600_000
    tally.slowest = Math.max(tally.slowest, (performance.now() - start) / SIGNERS / each)
  }
  return inRounds({ round, close: async () => {} }, count)
}

function addFinding(tally, act, isFound, times) {
  tally.verdicts++
  tally.outcomes(`${act}: ${isFound ? 'found' : 'NOT FOUND'}`, 1)
  if (isFound) tally.outcomes(`${act}: messages or entries`, times)
  else tally.disagreement(`${act}, and nobody knows`, {})
}

/** Checks that all signers are complete since a time, before any act. */
function genuine(tally, { signers, witnesses }) {
  const shown = signers.map(all)
  const { reports, named } = judge(witnesses, join(shown))
  for (const { keyId } of signers) {
    tally.verdicts++
    const { verdict, witnessed, says } = reports.get(keyId)
    tally.outcomes(`nothing: told ${verdict}`, 1)
    if (verdict !== 'complete' || witnessed.since === undefined)
      tally.disagreement(`an alarm about nothing: ${says}`, {})
  }
  tally.outcomes('nothing: the liar is named', named)
}

async function attack(tally, random, made) {
  const { signers, witnesses } = made
  const acts = []
  for (const signer of signers) {
    const act = random.pick(Object.keys(ACTS))
    const done = await ACTS[act](random, signer, made)
    if (done) acts.push({ act, signer, ...done })
  }
  const { reports, named } = judge(witnesses, join(acts.map(({ shown }) => shown)))
  tally.outcomes('attacks: the liar is named', named)
  for (const { act, signer, isFound, count: times } of acts) {
    const report = reports.get(signer.keyId)
    const isSo = await isFound(report)
    if (!isSo) tally.disagreement(`${act}: ${report.says}`, report.gaps)
    addFinding(tally, act, isSo, times)
  }
}

const join = (shown) => ({
  messages: shown.flatMap(({ messages }) => messages),
  notes: shown.flatMap(({ notes }) => notes),
})
