// @slow

import { expect, it } from 'vitest'
import { storeUnderKills } from '../soak/store.mjs'

/** Time limit in milliseconds: the test starts processes again and again, which takes long on a busy machine. */
const PATIENT = 300_000
/** Number of calls, enough for two kills of each: `npm run soak -- --store` has 200,000 and 24 kills. */
const CALLS = 2_000

// claim: store-16
it(
  'a store has each accepted bundle once, even if ingesters, the broker and the server are killed meanwhile',
  async () => {
    const seen = await storeUnderKills({ calls: CALLS, kills: 6 }, () => undefined)
    expect(seen).toMatchObject({ lost: 0, twice: 0, gaps: 0, unread: 0, broken: 0, audit: 'proved' })
    expect(seen.checkpoints).toBeGreaterThan(0)
    expect(seen.accepted).toBe(CALLS)
  },
  PATIENT,
)
