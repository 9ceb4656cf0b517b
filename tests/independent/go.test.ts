// @slow: it runs other verifiers; vectors.test.ts shows that format and verifier agree

import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { source, verifyBatch } from 'alvarium-sdk'
import type { Store } from 'alvarium-sdk/store'
import { afterAll, describe, expect, it } from 'vitest'
import { Random } from '../attack/random.mjs'
import { onOneDatabase, type TestDatabase } from '../store/databases.js'
import { utf8 } from '../support/bytes.js'
import { goldenMessage, noteOf } from '../support/checkpoints.js'
import { key, keyring, opened } from '../support/sdk.js'
import { goldenCheckpoints } from '../support/vectors.js'
import { isBuilt } from './golang.js'

// golang.org/x/mod/sumdb, the library that reads the transparency logs of Go's own modules.
const folder = mkdtempSync(join(tmpdir(), 'alvarium-go-'))
const command = join(folder, 'verifier')
const isThere = isBuilt('go', command, 'what Go says of logs and their proofs')

interface Question {
  readonly vkey: string
  readonly note: string
  readonly older?: string
  readonly id?: string
  readonly index?: number
  readonly path?: readonly string[]
  readonly tiles?: Readonly<Record<string, string>>
}

/** Returns "ok" for each question, or its fault. */
function answers(questions: readonly Question[]): string[] {
  const input = questions.map((one) => `${JSON.stringify(one)}\n`).join('')
  const { status, stdout, stderr } = spawnSync(command, { input, encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
  return stdout.trimEnd().split('\n')
}

afterAll(() => rmSync(folder, { recursive: true }))

describe.skipIf(!isThere)("Go's module golang.org/x/mod", () => {
  it('opens signed checkpoints, and refuses altered checkpoints', () => {
    const { cases, vkey } = goldenCheckpoints()
    const notes = cases.map(({ message }) => noteOf(utf8(message)))
    expect(answers(notes.map((note) => ({ vkey, note })))).toEqual(notes.map(() => 'ok'))
    const altered = notes.map((note) => note.replace(/\n(\d+)\n/, (_, size) => `\n${Number(size) + 1}\n`))
    expect(answers(altered.map((note) => ({ vkey, note }))).filter((said) => said === 'ok')).toEqual([])
  })

  it('opens 1,000 signed notes, and refuses each with an altered character', () => {
    const random = new Random(53)
    const { cases, vkey } = goldenCheckpoints()
    const [origin] = noteOf(utf8(cases[0]?.message ?? '')).split('\n')
    const notes = Array.from({ length: 1_000 }, () => {
      const [size, root] = [random.below(2 ** 40), Buffer.from(random.bytes(32)).toString('base64')]
      return noteOf(goldenMessage(`${origin}\n${size}\n${root}\n`))
    })
    expect(answers(notes.map((note) => ({ vkey, note }))).filter((said) => said !== 'ok')).toEqual([])
    const altered = notes.map((note) => {
      const at = random.below(note.length)
      return (
        note.slice(0, at) + random.pick([...'aZ7/+=—'].filter((one) => one !== note[at])) + note.slice(at + 1)
      )
    })
    expect(answers(altered.map((note) => ({ vkey, note }))).filter((said) => said === 'ok')).toEqual([])
  })

  onOneDatabase((database) => {
    it('accepts checkpoints, proofs and tiles of a pruned store, and refuses wrong proofs and tiles', async () => {
      const { vkey, older, newer, growth, proofs, tiles } = await grownLog(database)
      const grown = { vkey, note: newer, older, path: growth }
      const included = proofs.map((proof) => ({ vkey, note: newer, ...proof }))
      const right = [grown, ...included, ...included.map((proof) => ({ ...proof, tiles }))]
      expect(answers(right)).toEqual(right.map(() => 'ok'))
      const swapped = { ...tiles, '0 0': tiles['0 1'] as string, '0 1': tiles['0 0'] as string }
      const wrong = [
        { ...grown, path: growth.slice(1) },
        { ...grown, older: newer, note: older },
        ...included.map((proof) => ({ ...proof, index: proof.index + 1 })),
        ...included.map((proof) => ({ ...proof, path: proof.path.with(0, proof.path[1] as string) })),
        ...included.map((proof) => ({ ...proof, tiles: swapped })),
      ]
      const said = answers(wrong)
      expect(wrong.filter((_, at) => said[at] === 'ok')).toEqual([])
    })
  })
})

/** Makes a log that was signed at 300 entries, across two tiles, and at 371: entry 370 pruned entry 1. */
async function grownLog(database: TestDatabase) {
  const store = await database.open({ log: { origin: 'example.com/store-1', signingKey: key.signingKey } })
  const ids = await stored(store, 300)
  const older = (await store.checkpoint()).note
  ids.push(...(await stored(store, 70)))
  const newer = (await store.forget(utf8('300 1'))).checkpoint?.note as string
  ids.push(...(await store.audit()).prunings.map(({ id }) => id))
  const growth = (await store.proveGrowth(older))?.path ?? []
  const proofs = [0, 1, 254, 255, 256, 299, 300, 368, 370].map(async (index) => {
    const id = ids[index] as string
    return { id, index, path: pathIn((await store.prove(id)) as string) }
  })
  const rows = await database.query(
    "select level || ' ' || at as place, encode(hashes, 'hex') as hashes from alvarium.tile",
  )
  const tiles = rows.map(({ place, hashes }) => [
    place,
    Buffer.from(String(hashes), 'hex').toString('base64'),
  ])
  return {
    vkey: store.vkey as string,
    older,
    newer,
    growth,
    proofs: await Promise.all(proofs),
    tiles: Object.fromEntries(tiles) as Record<string, string>,
  }
}

/** Stores this many bundles. @returns their ids, in the order of the log */
async function stored(store: Store, count: number): Promise<string[]> {
  const { sdk, stream } = await opened([source()])
  await sdk.createMany(Array.from({ length: count }, (_, at) => utf8(`${count} ${at}`)))
  await sdk.close()
  await store.ingest(stream.messages)
  const bundles = await Promise.all(stream.messages.map((message) => verifyBatch(message, { keyring })))
  return bundles.flat().map(({ id }) => id)
}

/** Returns the hashes of a C2SP tlog-proof, in hexadecimal. */
function pathIn(proof: string): string[] {
  const [, , ...path] = proof.slice(0, proof.indexOf('\n\n')).split('\n')
  return path.map((hash) => Buffer.from(hash, 'base64').toString('hex'))
}
