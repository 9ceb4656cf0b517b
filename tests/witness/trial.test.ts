// @slow: it kills processes

import { type ChildProcess, spawn } from 'node:child_process'
import { createHash, createPublicKey, randomBytes, verify } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { openStore } from 'alvarium-sdk/store'
import { verifyWitnessed } from 'alvarium-sdk/witness'
import { afterAll, expect, it, onTestFinished } from 'vitest'
import { freePort } from '../brokers/ports.js'
import { isBuilt } from '../independent/golang.js'
import { Liar } from './liar.js'
import { Litewitness } from './litewitness.js'
import { NoteSigner } from './logs.mjs'
import { startWitness, type WitnessProcess } from './process.js'
import { listening } from './witnesses.js'

// npx vitest run --config vitest.config.ts --project slow tests/witness/trial.test.ts
// WITNESS_CHECKPOINTS=1000 WITNESS_KILLS=30 for more. If Go is installed, the second witness is litewitness of
// filippo.io/torchwood.

const { WITNESS_CHECKPOINTS = '60', WITNESS_KILLS = '6', WITNESS_SEED = '1' } = process.env
const [CHECKPOINTS, KILLS] = [Number(WITNESS_CHECKPOINTS), Number(WITNESS_KILLS)]
const CHILD = fileURLToPath(new URL('store-child.mjs', import.meta.url))
const QUORUM = 2

const root = mkdtempSync(join(tmpdir(), 'alvarium-witnesses-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))
const litewitness = join(root, 'litewitness')
const isThere = isBuilt(
  '../independent/torchwood',
  litewitness,
  'a witness of another make',
  'filippo.io/torchwood/cmd/litewitness',
)

/** Returns numbers from 0 to 1 by a seed. */
function randomBy(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state / 2_147_483_648
  }
}

interface StoreOutput {
  readonly note: string
  readonly witnessed: { readonly outcome: string; readonly seen: number }
  readonly answers: readonly { readonly name: string; readonly outcome: string }[]
}

/** Verifies the lines of witnesses with node:crypto alone. @returns the names of the signers of the text */
function signersOf(note: string, vkeys: readonly string[]): Set<string> {
  const end = note.lastIndexOf('\n\n') + 1
  const text = note.slice(0, end)
  const names = new Set<string>()
  for (const line of note.slice(end + 1).split('\n')) {
    const [, name = '', base64 = ''] = /^— (\S+) (\S+)$/.exec(line) ?? []
    const bytes = Buffer.from(base64, 'base64')
    for (const vkey of vkeys) {
      const [known, id = '', key = ''] = vkey.split('+')
      if (known !== name || bytes.subarray(0, 4).toString('hex') !== id) continue
      const raw = Buffer.from(vkey.slice(vkey.indexOf(key, known.length + 10)), 'base64').subarray(1)
      const der = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), raw])
      const publicKey = createPublicKey({ key: der, format: 'der', type: 'spki' })
      const signed = `cosignature/v1\ntime ${bytes.readBigUInt64BE(4)}\n${text}`
      if (verify(null, Buffer.from(signed), publicKey, bytes.subarray(12))) names.add(name)
    }
  }
  return names
}

it('two honest witnesses, killed again and again, never sign contradicting logs, and never complete a quorum with a third witness that lies', async () => {
  const random = randomBy(Number(WITNESS_SEED))
  const seed = randomBytes(32)
  const log = new NoteSigner('log.example/trial', 1, seed)
  const liar = new Liar(random)
  const liarUrl = await listening((body) => liar.answer(body))
  const [ourPort, otherPort] = await Promise.all([freePort(), freePort()])
  const other = isThere ? await Litewitness.open(litewitness, join(root, 'w2')) : undefined
  if (other) onTestFinished(() => other.close())
  const startOurs = (name: string, port: number) =>
    startWitness(`witness.example/${name}`, join(root, name), [log.vkey], port)
  const start = (at: number) => {
    if (at === 0) return startOurs('w1', ourPort)
    return other ? other.start('witness.example/w2', [log.vkey], otherPort) : startOurs('w2', otherPort)
  }
  const honest: WitnessProcess[] = [await start(0), await start(1)]
  const witnesses = [...honest, { url: liarUrl, vkey: liar.signer.vkey }].map(({ url, vkey }) => ({
    url,
    vkey,
  }))
  const vkeys = witnesses.map(({ vkey }) => vkey)
  const settings = {
    folder: join(root, 'store'),
    seed: [...seed],
    origin: log.name,
    witnesses,
    quorum: QUORUM,
    witnessTimeoutMs: 400,
  }
  const counts = {
    checkpoints: 0,
    quorums: 0,
    falseQuorums: 0,
    kills: 0,
    forksTried: 0,
    forksSigned: 0,
    forksOfLiar: 0,
    forksNamed: 0,
  }
  const notes: string[] = []

  let store: ChildProcess | undefined
  const run = () => {
    store = spawn(process.execPath, [CHILD, JSON.stringify(settings)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    return createInterface({ input: store.stdout as NonNullable<ChildProcess['stdout']> })
  }
  const end = async () => {
    if (!store || store.exitCode !== null || store.signalCode !== null) return
    const exit = once(store, 'exit')
    store.kill('SIGKILL')
    await exit
  }

  const tryFork = async (size: number) => {
    const larger = size + Math.floor(random() * 2)
    const text = `${log.name}\n${larger}\n${randomBytes(32).toString('base64')}\n`
    const note = `${text}\n${log.line(text)}`
    for (const { url } of honest) {
      const path = larger > size ? `${randomBytes(32).toString('base64')}\n` : ''
      const asked = await fetch(`${url}/add-checkpoint`, {
        method: 'POST',
        body: `old ${size}\n${path}\n${note}`,
      }).catch(() => undefined)
      counts.forksTried++
      if (asked?.status === 200) counts.forksSigned++
      await asked?.text()
    }
    const forked = note + liar.signer.line(text, Math.floor(Date.now() / 1000))
    const own = notes.find(
      (one) => one.split('\n')[1] === `${larger}` && signersOf(one, [liar.signer.vkey]).size > 0,
    )
    if (own === undefined) return
    counts.forksOfLiar++
    const { faults } = verifyWitnessed([own, forked], { vkey: log.vkey, witnesses: vkeys, quorum: QUORUM })
    if (faults.some((fault) => fault === `${liar.signer.name} has signed two logs of size ${larger}`))
      counts.forksNamed++
  }

  const killAfter = Math.max(1, Math.floor(CHECKPOINTS / KILLS))
  while (counts.checkpoints < CHECKPOINTS) {
    for await (const line of run()) {
      const { note, witnessed }: StoreOutput = JSON.parse(line)
      notes.push(note)
      counts.checkpoints++
      const signers = signersOf(note, vkeys)
      if (witnessed.outcome === 'holds') counts.quorums++
      if ((witnessed.outcome === 'holds') !== signers.size >= QUORUM) counts.falseQuorums++
      if (random() < 0.3) await tryFork(Number(note.split('\n')[1]))
      if (counts.checkpoints >= CHECKPOINTS) break
      if (counts.checkpoints % killAfter !== 0 || counts.kills >= KILLS) continue
      counts.kills++
      const victim = Math.floor(random() * 3)
      if (victim === 2) break
      await honest[victim]?.kill()
      // The witness restarts while the store goes on.
      honest[victim] = await start(victim)
    }
    await end()
  }
  for (const one of honest) expect((await fetch(one.url)).status).toBeLessThan(500)

  const keyring = [randomBytes(0)].slice(1) as never[]
  const opened = await openStore(`folder:${settings.folder}`, {
    keyring,
    log: { origin: log.name, signingKey: { seed }, witnesses, quorum: QUORUM },
  })
  const report = await opened.audit({ witnesses: vkeys.slice(0, 2), quorum: 2 })
  await opened.close()
  for (const one of honest) await one.kill()
  const largest = notes.reduce((most, note) => Math.max(most, Number(note.split('\n')[1])), 0)
  const digest = createHash('sha256').update(notes.join('')).digest('hex').slice(0, 8)
  console.info(
    JSON.stringify({
      ...counts,
      another: isThere,
      liar: Object.fromEntries(liar.counts),
      largest,
      seen: report.witnessed?.size,
      digest,
    }),
  )
  expect(report.count).toBe(0)
  expect(report.witnessed).toMatchObject({ outcome: 'holds', faults: [] })
  expect(counts).toMatchObject({ falseQuorums: 0, forksSigned: 0, forksNamed: counts.forksOfLiar })
  expect(counts.quorums).toBeGreaterThan(CHECKPOINTS / 2)
})
