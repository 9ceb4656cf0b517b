import { generateKey, VERDICT_WORDS } from 'alvarium-sdk'
import { openStore, type Store } from 'alvarium-sdk/store'
import { describe, expect, it } from 'vitest'
import { codeOf } from '../support/failure.js'
import { appendPruning, leftBy, removeBundle } from '../support/owner-of-store.js'
import { checkPieces } from '../support/pieces.js'
import { keyring } from '../support/sdk.js'
import { classicMessages, emptyStore, keptStore, log } from './kept-store.js'

const fixture = keptStore()
const { query, auditAfter } = fixture

/** Opens a store on the same database without the log's key. */
async function withoutKey<T>(use: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore(
    { query: async (text, given) => ({ rows: await query(text, given) }) },
    { keyring },
  )
  try {
    return await use(store)
  } finally {
    await store.close()
  }
}

describe('an audit with the verdict "proved"', () => {
  it('needs the checkpoint, its signature and the public key', async () => {
    const report = await fixture.store.audit(fixture.options)
    expect(report).toMatchObject({
      verdict: 'proved',
      outcome: 'holds',
      protected: report.size,
      unprotected: 0,
      count: 0,
    })
    expect(report.says).toContain(`when ${log.origin} signed the checkpoint`)
    expect(report).not.toHaveProperty('needs')
  })

  it('loses that verdict without the checkpoint', async () => {
    const { vkey } = fixture.options
    const report = await fixture.store.audit({ vkey })
    expect(report).toMatchObject({ verdict: 'consistent', outcome: 'cannot tell', protected: 0 })
    expect(report.needs).toBe('give the checkpoint that you kept: --checkpoint')
  })

  // claim: threats-94
  it('loses that verdict if the caller does not pass the log’s public key, whatever the database contains', async () => {
    const { checkpoint, vkey } = fixture.options
    const [report, by] = await withoutKey(async (store) => [
      await store.audit({ checkpoint }),
      await store.audit({ checkpoint, vkey }),
    ])
    expect(report).toMatchObject({ verdict: 'consistent', outcome: 'cannot tell', protected: 0 })
    expect(report?.needs).toBe("give the log's public key: --vkey")
    expect(by?.verdict).toBe('proved')
  })

  it('loses that verdict without a public key, and then counts no pruning as signed', async () => {
    const { checkpoint, vkey } = fixture.options
    const reports = await withoutKey(async (store) => [
      await store.audit({ checkpoint, vkey }),
      await store.audit({ checkpoint }),
    ])
    expect(reports.map(({ prunings }) => new Set(prunings.map((one) => one.checkpoint)))).toEqual([
      new Set(['kept']),
      new Set(['none']),
    ])
    const [signed, unsigned] = reports
    expect([signed?.prunedUnsigned, unsigned?.prunedUnsigned]).toEqual([0, unsigned?.pruned])
  })

  it('loses that verdict without the checkpoint and the public key, and reports that both are needed', async () => {
    const report = await withoutKey((store) => store.audit())
    expect(report.needs).toBe('give the checkpoint that you kept and its public key: --checkpoint, --vkey')
  })

  it('loses that verdict if any part of the checkpoint or of the public key is altered, and the reason names that part', async () => {
    const other = await emptyStore({ log: { ...log, signingKey: generateKey().signingKey } })
    const { note: checkpoint } = await other.checkpoint()
    await checkPieces({
      cases: async () => [fixture.options, { checkpoint, vkey: other.vkey as string }],
      verdict: async (options) => {
        const report = await withoutKey((store) => store.audit(options))
        return report.verdict === 'proved' ? { holds: report } : { reason: `${report.says} ${report.needs}` }
      },
      reasons: { checkpoint: /checkpoint|note|signature|root/, vkey: /vkey|public key|signature|note/ },
    })
  })

  it('loses that verdict with the checkpoint of an empty log, which protects no later entry', async () => {
    const empty = await emptyStore({ log })
    const { note: checkpoint } = await empty.checkpoint()
    expect((await empty.audit({ checkpoint })).verdict).toBe('proved')
    const longer = await emptyStore({ log, classic: true })
    await longer.checkpoint()
    await longer.ingest(await classicMessages())
    expect(await longer.audit({ checkpoint })).toMatchObject({
      verdict: 'consistent',
      outcome: 'cannot tell',
      needs: 'give a checkpoint of when the log had entries: --checkpoint',
    })
  })

  it('loses that verdict if an entry of the log, a tile or the row of the checkpoint is missing', async () => {
    for (const statement of [
      'delete from alvarium.leaf where seq = 5',
      `update alvarium.leaf set id = sha256('another') where seq = 5`,
      'delete from alvarium.tile',
      'delete from alvarium.checkpoint where size = (select leaves from alvarium.head)',
    ]) {
      const report = await auditAfter(statement)
      expect(report, statement).toMatchObject({
        verdict: 'different',
        outcome: 'does not hold',
        protected: 0,
      })
    }
  })
})

describe('the audit verdict "unsigned"', () => {
  /** Removes the last bundle, as the owner, and writes a pruning after the signed part of the log. */
  async function pruneUnsigned(): Promise<void> {
    const [{ seq } = {}] = await query('select max(seq)::integer as seq from alvarium.bundle')
    const left = await leftBy({ query }, [Number(seq)])
    await removeBundle({ query } as never, Number(seq))
    await appendPruning({ query } as never, {
      at: 5,
      messages: 1,
      ranges: [[Number(seq), Number(seq)]],
      left,
    })
  }

  it('is reached if no signed checkpoint covers a pruning, and the report names the needed step', async () => {
    const report = await auditAfter(pruneUnsigned)
    expect(report).toMatchObject({ verdict: 'unsigned', outcome: 'cannot tell', prunedUnsigned: 1, count: 0 })
    expect(report.needs).toContain('sign a checkpoint')
  })

  it('becomes "consistent" if the caller passes no checkpoint, and "different" if a column was added to a table', async () => {
    await query('begin')
    await pruneUnsigned()
    expect((await fixture.store.audit()).verdict).toBe('consistent')
    await query('rollback')
    const report = await auditAfter(async () => {
      await pruneUnsigned()
      await query('alter table alvarium.pruned add column gone integer')
    })
    expect(report.verdict).toBe('different')
  })
})

describe('the audit verdict "consistent"', () => {
  // claim: store-38
  it('has the outcome "holds" with { itself: true }', async () => {
    const report = await fixture.store.audit({ itself: true })
    expect(report).toMatchObject({ verdict: 'consistent', outcome: 'holds' })
    expect(report).not.toHaveProperty('needs')
    expect(await codeOf(() => fixture.store.audit({ ...fixture.options, itself: true }))).toBe(
      'CONFIG_INVALID',
    )
  })

  it('becomes "different" if edges are missing, even with { itself: true }', async () => {
    await query('begin')
    await query('delete from alvarium.edge')
    const report = await fixture.store.audit({ itself: true })
    await query('rollback')
    expect(report).toMatchObject({ verdict: 'different', outcome: 'does not hold' })
  })
})

it('an audit without { itself: true } has the outcome of its verdict, and states the next step if the outcome is "cannot tell"', async () => {
  for (const report of [
    await fixture.store.audit(fixture.options),
    await fixture.store.audit(),
    await auditAfter('delete from alvarium.word'),
  ]) {
    expect(report.outcome).toBe(VERDICT_WORDS[report.verdict])
    expect(report.says).not.toBe('')
    expect('needs' in report).toBe(report.outcome === 'cannot tell')
  }
})
