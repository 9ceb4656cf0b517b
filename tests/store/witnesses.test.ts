// @node-only: it starts servers

import { source, verifyBatch } from 'alvarium-sdk'
import { verifyLogProof } from 'alvarium-sdk/store'
import type { WitnessAddress } from 'alvarium-sdk/witness'
import { expect, it, vi } from 'vitest'
import { utf8 } from '../support/bytes.js'
import { codeOf, failure } from '../support/failure.js'
import { keyring, opened } from '../support/sdk.js'
import { NoteSigner } from '../witness/logs.mjs'
import { type Instead, serveWitness } from '../witness/witnesses.js'
import { onEachDatabase } from './databases.js'

const seed = new Uint8Array(32).fill(5)
const origin = 'example.com/store-1'
const { vkey } = new NoteSigner(origin, 1, seed)
const HOUR = 3_600_000

async function batch(count: number, name: string) {
  const { sdk, stream } = await opened([source()])
  await sdk.createMany(Array.from({ length: count }, (_, at) => utf8(`${name} ${at}`)))
  await sdk.close()
  const bundles = await Promise.all(stream.messages.map((message) => verifyBatch(message, { keyring })))
  return { messages: stream.messages, ids: bundles.flat().map(({ id }) => id) }
}

const serve = (name: string, instead?: Instead) =>
  serveWitness(`witness.example/${name}`, { logs: [vkey] }, instead)
const logOf = (witnesses: readonly WitnessAddress[]) => ({
  origin,
  signingKey: { seed },
  everyMs: HOUR,
  witnessTimeoutMs: HOUR,
  witnesses: witnesses.map(({ url, vkey }) => ({ url, vkey })),
})

onEachDatabase((database) => {
  // claim: witnesses-14
  it(`an audit with witnesses of the store's log has the verdict "proved" without an earlier checkpoint`, async () => {
    const served = await Promise.all(['w1', 'w2', 'w3'].map((name) => serve(name)))
    const witnesses = served.map((one) => one.vkey)
    const store = await database.open({ log: logOf(served) })
    const first = await batch(300, 'first')
    await store.ingest(first.messages)
    const asked = await store.askWitnesses()
    expect(asked.witnessed).toMatchObject({ outcome: 'holds', size: 300, quorum: 2 })
    await store.ingest((await batch(40, 'later')).messages)
    const { note } = await store.askWitnesses().then(() => store.checkpoint())
    expect(note.split('\n— ')).toHaveLength(5)
    expect(served.map(({ requests }) => requests)).toEqual([0, 1, 2].map(() => ['old 0', 'old 300']))

    const report = await store.audit({ witnesses, quorum: 3 })
    expect(report).toMatchObject({ outcome: 'holds', verdict: 'proved', protected: 340, count: 0 })
    expect(report.says).toMatch(/; its first 340 entries were seen by 3 of 3 witnesses by \d{4}-.*Z$/)
    const id = first.ids[7] as string
    const proof = (await store.prove(id)) as string
    const inclusion = verifyLogProof(proof, { id, vkey, witnesses })
    expect(inclusion).toMatchObject({ index: 7, size: 340, witnessed: { outcome: 'holds', of: 3 } })
    const others = [...witnesses.slice(0, 1), new NoteSigner('witness.example/other', 4).vkey]
    const few = await failure(() => verifyLogProof(proof, { id, vkey, witnesses: others, quorum: 2 }))
    expect([few.code, few.message]).toEqual([
      'WITNESSES_MISSING',
      expect.stringContaining('seen by 1 of 2 witnesses'),
    ])
    const unseen = await store.audit({ witnesses: others, quorum: 2 })
    expect(unseen).toMatchObject({ outcome: 'cannot tell', verdict: 'unwitnessed', protected: 0 })
    expect(unseen.needs).toBe('get cosignatures of 1 more witness: ask them about the newest checkpoint')
    expect(await codeOf(() => store.audit({ witnesses, quorum: 4 }))).toBe('CONFIG_INVALID')
  })

  it("an audit with an earlier checkpoint proves nothing if too few of the reader's witnesses signed it", async () => {
    const served = await serve('w1')
    const store = await database.open({ log: logOf([served]) })
    await store.ingest((await batch(5, 'kept')).messages)
    const { note } = await store.askWitnesses()
    const kept = { checkpoint: note, vkey }
    expect((await store.audit(kept)).verdict).toBe('proved')
    const witnesses = [served.vkey, new NoteSigner('witness.example/other', 4).vkey]
    expect(await store.audit({ ...kept, witnesses, quorum: 1 })).toMatchObject({ verdict: 'proved' })
    expect(await store.audit({ ...kept, witnesses, quorum: 2 })).toMatchObject({
      outcome: 'cannot tell',
      verdict: 'unwitnessed',
      protected: 5,
      needs: 'get cosignatures of 1 more witness: ask them about the newest checkpoint',
    })
  })

  it('a store continues without unavailable witnesses, logs their absence once, and asks them again', async () => {
    let isAway = true
    const away = await serve('away', async (_, own) => (isAway ? { status: 503 } : own()))
    const good = await serve('good')
    const logged: unknown[][] = []
    const log = (...entry: unknown[]) => void logged.push(entry)
    const logger = { debug: log, info: log, warn: log, error: log }
    const store = await database.open({ log: logOf([away, good]), logger })
    for (const name of ['one', 'two', 'three']) {
      await store.ingest((await batch(3, name)).messages)
      const { answers, witnessed } = await store.askWitnesses()
      expect([answers.map(({ outcome }) => outcome), witnessed.outcome]).toEqual([
        ['away', 'cosigned'],
        'cannot tell',
      ])
    }
    const told = () => logged.filter(([, text]) => /witness\.example\/away/.test(String(text)))
    expect(told()).toHaveLength(1)
    isAway = false
    const { answers, witnessed } = await store.askWitnesses()
    expect(answers.map(({ name, outcome }) => [name, outcome])).toEqual([
      ['witness.example/away', 'cosigned'],
    ])
    expect(witnessed).toMatchObject({ outcome: 'holds', size: 9 })
  })

  it('a store signs checkpoints while all witnesses hang, and adds their signatures when they answer', async () => {
    let answer = () => {}
    const hanging = new Promise<void>((resolve) => {
      answer = resolve
    })
    const served = await Promise.all(['w1', 'w2'].map((name) => serve(name, (_, own) => hanging.then(own))))
    const store = await database.open({ log: logOf(served) })
    for (let round = 1; round <= 5; round++) {
      await store.ingest((await batch(4, `round ${round}`)).messages)
      expect((await store.checkpoint()).size).toBe(4 * round)
    }
    await vi.waitFor(() => expect(served.map(({ requests }) => requests.length)).toEqual([1, 1]))
    answer()
    await vi.waitFor(async () => expect((await store.checkpoint()).note.split('\n— ')).toHaveLength(4))
    expect(served.map(({ requests }) => requests)).toEqual([0, 1].map(() => ['old 0', 'old 4']))
  })

  it('an audit of a log that witnesses have signed reports an altered log entry, and an altered signature of a witness', async () => {
    const served = await Promise.all(['w1', 'w2'].map((name) => serve(name)))
    const witnesses = served.map((one) => one.vkey)
    const store = await database.open({ log: logOf(served) })
    await store.ingest((await batch(5, 'kept')).messages)
    await store.askWitnesses()
    await store.ingest((await batch(5, 'cut off')).messages)
    const { note } = await store.askWitnesses()
    await database.query("update alvarium.leaf set id = sha256('other') where seq = 3")
    const altered = await store.audit({ witnesses })
    expect([altered.outcome, altered.differences.map(({ what }) => what)]).toEqual([
      'does not hold',
      expect.arrayContaining(['root of 10 entries']),
    ])
    const backdated = note.replace(/(?<=w1 [^\n]{8})[^\n]/, (digit) => (digit === 'B' ? 'C' : 'B'))
    await database.query('update alvarium.checkpoint set note = $1 where size = 10', [utf8(backdated)])
    const { differences } = await store.audit({ witnesses })
    expect(differences.map(({ got }) => got)).toContain(
      'a line of witness.example/w1 at size 10 does not verify',
    )
  })
})
