// @internal: packs of these sizes would take minutes to write and to verify
// @node-only: the same core reads the same bytes in every engine

import { readPolicy } from 'alvarium-sdk/score'
import type { VerifiedSet } from 'alvarium-sdk/sets'
import type { VerifiedBundle } from 'alvarium-sdk/verify'
import { expect, it } from 'vitest'
import { PackScores } from '../../dist/evidence/packs/pack-scores.js'
import { PackedSets } from '../../dist/evidence/packs/wholeness/packed-sets.js'
import { countedTurns } from '../support/turns.js'

it('scoring a pack does not block the event loop if very many payloads have the same inputs', async () => {
  const scores = new PackScores(readPolicy({ version: 1 }))
  const named = (key: string) => ({ hash: 'sha256', key }) as const
  const add = (key: string, inputs: VerifiedBundle['inputs']) => {
    scores.add({ ...named(key), id: key, annotations: [], inputs } as unknown as VerifiedBundle)
  }
  const [between, first] = [20, 1_000].map((count) =>
    Array.from({ length: count }, (_, at) => named(`${count}.${at}`)),
  )
  add('result', between)
  for (const { key } of between ?? []) add(key, first)
  const turns = await countedTurns(1)
  try {
    expect(await scores.scoreOf({ payload: named('result') })).toEqual({ payloads: 21, score: 0 })
    // The clock is read once for each of 20,000 steps, and a turn ends after 8 readings.
    expect(turns.count).toBeGreaterThan(1_500)
  } finally {
    turns.end()
  }
})

it('scoring a pack does not block the event loop if very many bundles are about one payload', async () => {
  const scores = new PackScores(readPolicy({ version: 1 }))
  for (let at = 0; at < 5_000; at++) {
    const annotations = [{ id: '', kind: 'src', tag: '', isSatisfied: at > 0 }]
    const bundle = { hash: 'sha256', key: 'A', id: `${at}`, host: `edge-${at}`, layer: 'app', annotations }
    scores.add(bundle as unknown as VerifiedBundle)
  }
  for (const about of [{ payload: { hash: 'sha256', key: 'A' } }, { query: 'all' }] as const) {
    const turns = await countedTurns(1)
    try {
      expect(await scores.scoreOf(about)).toEqual({ payloads: 1, score: 0.9998 })
      // The clock is read once for each of 5,000 steps, and a turn ends after 8 readings.
      expect(turns.count).toBeGreaterThan(500)
    } finally {
      turns.end()
    }
  }
})

it('scoring a pack reads a set once, however many bundles have the set as an input', async () => {
  const scores = new PackScores(readPolicy({ version: 1 }))
  let gone = 0
  const keys = {
    *[Symbol.iterator]() {
      gone++
      yield 'A'
      yield 'B'
    },
  }
  scores.fabric.addMembers('set', keys)
  const inputs = Array.from({ length: 100 }, () => ({ set: 'set' }))
  for (const key of ['result', 'A']) {
    scores.add({ hash: 'sha256', key, id: key, annotations: [], inputs } as unknown as VerifiedBundle)
  }
  expect(await scores.scoreOf({ payload: { hash: 'sha256', key: 'result' } })).toEqual({
    payloads: 2,
    score: 0,
  })
  expect(gone).toBe(1)
  expect(scores.fabric.madeFrom({ hash: 'sha256', key: 'result' }).map(({ key }) => key)).toEqual(['A', 'B'])
})

it('a pack with 200,000 signed sets about a payload states how many bundles are missing', async () => {
  const sets = new PackedSets()
  const payload = { hash: 'sha256', key: 'AB'.repeat(32) } as const
  // More arguments than a call can take.
  for (let at = 0; at < 200_000; at++) {
    sets.add({
      id: `${at}`,
      name: `bundles of sha256 ${payload.key}`,
      size: at % 8,
      root: '',
      signer: '',
    } as VerifiedSet)
  }
  const confirming = { nameOf: String, mayConfirm: () => false }
  const { whole } = await sets.ofPayload(payload, confirming)
  expect(whole).toEqual({ word: 'not shown', missing: 7, refused: 0, undecided: 0 })
})

/** Returns a bundle about a payload with 12 answers, `yes` of them true. */
function said(key: string, yes: number, inputs?: object[]): VerifiedBundle {
  const annotations = Array.from({ length: 12 }, (_, at) => ({
    kind: `k${at}`,
    tag: '',
    isSatisfied: at < yes,
  }))
  const by = { signer: 'one', host: 'edge-7', layer: 'app' }
  return { hash: 'sha256', key, id: key, ...by, annotations, inputs } as unknown as VerifiedBundle
}

it('a pack has an unknown score if any input of its payload was made from a set that is not in the pack', async () => {
  for (const unknown of ['first', 'second']) {
    const scores = new PackScores(readPolicy({ version: 1 }))
    const inputs = ['first', 'second'].map((key) => ({ hash: 'sha256', key }))
    scores.add(said('result', 12, inputs))
    for (const { key } of inputs) scores.add(said(key, 12, key === unknown ? [{ set: 'away' }] : undefined))
    const about = { payload: { hash: 'sha256', key: 'result' } } as const
    expect(await scores.scoreOf(about)).toEqual({ payloads: 3, score: 'unknown' })
  }
})

it('scoring a pack finds the payloads with the lowest scores, whatever the order of the bundles', async () => {
  const keys = Array.from({ length: 12 }, (_, yes) => `${yes}`)
  for (const order of [keys, keys.toReversed()]) {
    const scores = new PackScores(readPolicy({ version: 1 }))
    for (const key of order) scores.add(said(key, Number(key)))
    expect(await scores.scoreOf({ query: 'all' })).toEqual({ payloads: 12, score: 0 })
    expect(scores.lowestScores.map(({ key }) => key)).toEqual(keys.slice(0, 10))
  }
})
