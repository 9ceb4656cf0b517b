import { readPolicy } from 'alvarium-sdk/judge'
import type { VerifiedBundle } from 'alvarium-sdk/verify'
import { expect, it } from 'vitest'
import { PackScores } from '../../dist/packs/scoring.js'
import { countedTurns } from '../support/turns.js'

it('lets others have their turn where very many payloads were made from the same ones', async () => {
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
    expect(await scores.scored({ payload: named('result') })).toEqual({ payloads: 21, score: 0 })
    // A turn is over after 8 looks at the clock, of which there is one for each of the 20,000 that it comes to.
    expect(turns.count).toBeGreaterThan(1_500)
  } finally {
    turns.end()
  }
})
