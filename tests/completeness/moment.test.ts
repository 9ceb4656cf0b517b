import { verifyBatch } from 'alvarium-sdk'
import { Completeness, type VerifiedCheckpoint, verifyCheckpoint } from 'alvarium-sdk/completeness'
import { expect, it } from 'vitest'
import { utf8 } from '../support/bytes.js'
import { loggedSdk } from '../support/checkpoints.js'
import { soon } from '../support/deferred.js'
import { countedTurns } from '../support/turns.js'

type Addition = (completeness: Completeness) => void

/** Signs a run of two messages and a batch of two, and another run that continues the first one. */
async function twoRuns() {
  const one = await loggedSdk({ batch: { maxBundles: 2 } }, { every: 1 })
  for (const name of ['a', 'b']) await one.sdk.create(utf8(name))
  await one.sdk.createMany([utf8('c'), utf8('d')])
  await one.sdk.close()
  const { signingKey, keyring } = one
  const two = await loggedSdk({ signingKey }, { after: one.notes.at(-1) as Uint8Array })
  await two.sdk.create(utf8('e'))
  await two.sdk.close()
  const messages = [...one.messages, ...two.messages]
  const bundles = await Promise.all(messages.map((message) => verifyBatch(message, { keyring })))
  const first = await one.read()
  const second = await Promise.all(two.notes.map((note) => verifyCheckpoint(note, { keyring })))
  return { messages, bundles, first, second }
}

/** Returns additions of all kinds that can change a report, one after the other. */
async function additions(): Promise<Addition[]> {
  const { messages, bundles, first, second } = await twoRuns()
  const checkpoint =
    (one: VerifiedCheckpoint): Addition =>
    (to) =>
      to.addCheckpoint(one)
  const message = (at: number, most?: number): Addition => {
    return (to) => to.addMessage(messages[at] as Uint8Array, (bundles[at] ?? []).slice(0, most))
  }
  const [a, b, c] = first as [VerifiedCheckpoint, VerifiedCheckpoint, VerifiedCheckpoint]
  const other = 'f'.repeat(64)
  const third = second.map((one) => ({
    ...one,
    run: '9'.repeat(32),
    after: { run: a.run, size: 2, root: other },
  }))
  const stranger = await loggedSdk()
  await stranger.sdk.create(utf8('x'))
  await stranger.sdk.close()
  const theirs = await stranger.read()
  return [
    message(0),
    checkpoint(a),
    // A gap, which a later checkpoint closes; a batch that arrives in parts; a message that no list has yet.
    ...first.slice(2).map(checkpoint),
    message(2, 1),
    checkpoint(b),
    message(1),
    message(3),
    message(2),
    ...second.map(checkpoint),
    // Forks: of two checkpoints, and of two successors that state different ends of one run.
    checkpoint({ ...c, root: other }),
    ...third.map(checkpoint),
    ...theirs.map(checkpoint),
  ]
}

it('a completeness report is a snapshot at the time of the call, whatever is added afterwards', async () => {
  const all = await additions()
  const verdicts = new Set<string>()
  for (let known = 0; known < all.length; known++) {
    const completeness = new Completeness()
    for (const add of all.slice(0, known)) add(completeness)
    const then = completeness.report()
    const turns = await countedTurns(20)
    const asked = completeness.reportInTurns()
    const rest = all.slice(known)
    // Add one at once, and one in each turn.
    rest.shift()?.(completeness)
    const next = () => {
      rest.shift()?.(completeness)
      if (rest.length > 0) soon(next)
    }
    soon(next)
    expect(await asked).toEqual(then)
    turns.end()
    for (const add of rest.splice(0)) add(completeness)
    expect(completeness.report()).toEqual(reportOf(all))
    verdicts.add(JSON.stringify(then))
  }
  // Each addition changes the report.
  expect(verdicts.size).toBe(all.length)
})

function reportOf(all: readonly Addition[]) {
  const completeness = new Completeness()
  for (const add of all) add(completeness)
  return completeness.report()
}
