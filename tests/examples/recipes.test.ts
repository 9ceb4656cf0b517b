// @slow: it runs programs and pages as a user does

import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { generateKey, source, toHex } from 'alvarium-sdk'
import { verifyPack } from 'alvarium-sdk/packs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startBroker } from '../../examples/broker/broker.mjs'
import { importCsv } from '../../examples/csv-to-database/import.mjs'
import { startCollector } from '../../examples/openlineage/collector.mjs'
import { Run } from '../../examples/openlineage/lineage.mjs'
import { pipeline } from '../../examples/openlineage/pipeline.mjs'
import { writeReadings } from '../../examples/parquet/sample.mjs'
import { opened } from '../support/sdk.js'

/** Makes a folder with a key pair, and returns a function that runs a script of an example in it. */
async function place(example: string) {
  const folder = await mkdtemp(join(tmpdir(), 'alvarium-recipe-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const key = generateKey()
  await writeFile(join(folder, 'private.key'), toHex(key.signingKey))
  await writeFile(join(folder, 'public.key'), toHex(key.verifyingKey))
  const run = (script: string, ...args: string[]) => {
    const path = fileURLToPath(new URL(`../../examples/${example}/${script}`, import.meta.url))
    const env = { ...process.env, NO_COLOR: '1' }
    const { stdout, stderr, status } = spawnSync(process.execPath, [path, ...args], {
      cwd: folder,
      env,
      encoding: 'utf8',
    })
    return { out: stdout + stderr, code: status }
  }
  return { folder, key, run, at: (name: string) => join(folder, name) }
}

describe('the example that signs a set of the images in a folder', () => {
  async function sealed() {
    const { at, run } = await place('image-set')
    await mkdir(at('images/cats'), { recursive: true })
    await writeFile(at('images/dog.jpg'), 'dog')
    await writeFile(at('images/cats/cat.jpg'), 'cat')
    await writeFile(at('images/cats/copy.jpg'), 'cat')
    expect(run('seal.mjs', 'images', 'private.key', '.').out).toContain('3 images sealed, 2 different')
    const ask = async (image: string, asked = image) => {
      await writeFile(at('asked.jpg'), asked)
      await writeFile(at('image.jpg'), image)
      run('prove.mjs', 'set.list', 'asked.jpg', 'proof.json')
      return run('verify.mjs', 'set.json', 'proof.json', 'image.jpg', 'public.key')
    }
    return { at, run, ask }
  }

  it('proves that an image is in the set, or that it is not', async () => {
    const { ask } = await sealed()
    expect(await ask('cat')).toMatchObject({
      code: 0,
      out: expect.stringContaining('✓ it was in training-7'),
    })
    expect(await ask('fox')).toMatchObject({
      code: 3,
      out: expect.stringMatching(/✓ it was not in training-7.+\n {2}if the signer has sorted its list/),
    })
  })

  it("refuses a proof for a different image, and a set with another signer's key", async () => {
    const { at, run, ask } = await sealed()
    expect((await ask('fox', 'cat')).code).toBe(1)
    expect((await ask('cat', 'fox')).code).toBe(1)
    await writeFile(at('other.key'), toHex(generateKey().verifyingKey))
    expect(run('verify.mjs', 'set.json', 'proof.json', 'image.jpg', 'other.key').code).toBe(1)
  })

  it('verifies a proof without the other images and without the list of the set', async () => {
    const { at, run, ask } = await sealed()
    await ask('cat')
    await rm(at('images'), { recursive: true })
    await rm(at('set.list'))
    expect(run('verify.mjs', 'set.json', 'proof.json', 'image.jpg', 'public.key').code).toBe(0)
  })
})

describe('a Parquet file that an example annotates', () => {
  async function annotated() {
    const { at, run } = await place('parquet')
    await writeReadings(at('a.parquet'), 2_500)
    expect(run('annotate.mjs', 'a.parquet', 'private.key', 'message.json').out).toContain(
      '3 row groups signed',
    )
    return { at, check: (file: string) => run('check.mjs', file, 'message.json', 'public.key') }
  }

  it('verifies, and the example counts all of its row groups', async () => {
    const { check } = await annotated()
    expect(check('a.parquet')).toMatchObject({ code: 0, out: expect.stringContaining('✓ all 3 row groups') })
  })

  it('does not verify with a changed byte, and the example names the row group that contains the byte', async () => {
    const { at, check } = await annotated()
    const bytes = await readFile(at('a.parquet'))
    // The second of three row groups is in the middle of the file, mostly as data.
    const middle = Math.floor(bytes.length / 2)
    bytes[middle] = (bytes[middle] ?? 0) ^ 1
    await writeFile(at('a.parquet'), bytes)
    expect(check('a.parquet')).toEqual({
      code: 1,
      out: '✗ row group 2 (rows 1001 to 2000): not as it was signed\n',
    })
  })

  it('does not verify with fewer row groups than were signed, and the example shows both numbers', async () => {
    const { at, check } = await annotated()
    await writeReadings(at('b.parquet'), 1_500)
    const { code, out } = check('b.parquet')
    expect(code).toBe(1)
    expect(out).toContain('✗ 2 row groups, and 3 were signed')
    expect(out).not.toContain('row group 1 ')
  })
})

describe("an example's program", () => {
  it('has exit code 2 and prints its usage without arguments, or the name of a file that it cannot read', async () => {
    const { run } = await place('parquet')
    const usage = 'readings.parquet message.json public.key'
    expect(run('check.mjs')).toEqual({ code: 2, out: `✗ usage: node check.mjs ${usage}\n` })
    expect(run('check.mjs', 'a.parquet', 'message.json', 'public.key')).toEqual({
      code: 2,
      out: expect.stringMatching(/^✗ ENOENT.+message\.json.*\n$/),
    })
  })

  it('runs when it is started through a symbolic link', async () => {
    const { at } = await place('broker')
    await symlink(fileURLToPath(new URL('../../examples', import.meta.url)), at('link'))
    const child = spawn(process.execPath, [at('link/broker/broker.mjs'), '0'])
    onTestFinished(() => void child.kill())
    const [said] = await once(child.stdout, 'data')
    expect(String(said)).toMatch(/^ws:.+ is listening/)
  })

  it('ends when the program that started it was killed', async () => {
    const child = new URL('../../examples/shared/child.mjs', import.meta.url)
    const broker = new URL('../../examples/broker/broker.mjs', import.meta.url)
    const code = `import { Child } from '${child}'
      const child = new Child(new URL('${broker}'), {}, { args: ['0'] })
      await child.says('listening')
      console.log(child.pid)`
    const example = spawn(process.execPath, ['--input-type=module', '--eval', code])
    onTestFinished(() => void example.kill())
    const pid = Number(await once(example.stdout, 'data'))
    example.kill('SIGKILL')
    const isThere = () => {
      try {
        return process.kill(pid, 0)
      } catch {
        return false
      }
    }
    await expect.poll(isThere).toBe(false)
  })

  it('rejects with EADDRINUSE if another broker uses the port', async () => {
    const other = await startBroker()
    onTestFinished(() => other.close())
    await expect(startBroker({ port: other.port })).rejects.toThrow('EADDRINUSE')
  })
})

describe('the example that imports a CSV file into a database', () => {
  it('skips empty lines, and throws an error if the file is missing', async () => {
    const { at } = await place('csv-to-database')
    const { sdk } = await opened([source()])
    const stored: string[] = []
    const store = {
      add: async (_batch: number, _message: Uint8Array, rows: { row: { text: string } }[]) => {
        stored.push(...rows.map(({ row }) => row.text))
      },
    }
    await writeFile(at('readings.csv'), '\uFEFFid,celsius\r\n1,21.4\r\n\r\n2,19.8\r\n')
    expect(await importCsv(at('readings.csv'), sdk, store as never)).toBe(2)
    expect(stored).toEqual(['{"id":"1","celsius":"21.4"}', '{"id":"2","celsius":"19.8"}'])
    await expect(importCsv(at('missing.csv'), sdk, store as never)).rejects.toThrow('ENOENT')
  })
})

describe('the example of a pipeline with OpenLineage', () => {
  it('sends schema-valid START and COMPLETE events of each step, with a facet about signers, bundles and pack', async () => {
    const { folder, key } = await place('openlineage')
    const collector = await startCollector()
    onTestFinished(() => collector.close())
    await pipeline(folder, collector.url, key)
    const steps = collector.events.map(({ job, eventType, run }) => [job.name, eventType, run.runId])
    const ids = [...new Set(steps.map(([, , id]) => id))]
    expect(steps).toEqual(
      ['take', 'clean', 'average'].flatMap((job, at) => [
        [job, 'START', ids[at]],
        [job, 'COMPLETE', ids[at]],
      ]),
    )
    expect(collector.events.at(-1).run.facets.alvarium_evidence).toMatchObject({
      signers: [key.keyId],
      bundles: [expect.stringMatching(/^\w{64}$/)],
      pack: { uri: expect.stringMatching(/^file:.+evidence\.zip$/) },
    })
  })

  it('keeps its evidence pack if it sends to OPENLINEAGE_URL events that name the pack', async () => {
    const collector = await startCollector()
    onTestFinished(() => collector.close())
    const script = fileURLToPath(new URL('../../examples/openlineage/run.mjs', import.meta.url))
    const env = { ...process.env, OPENLINEAGE_URL: collector.url }
    await promisify(execFile)(process.execPath, [script], { env })
    const { pack } = collector.events.at(-1).run.facets.alvarium_evidence
    const path = fileURLToPath(pack.uri)
    expect((await verifyPack(await readFile(path))).id).toBe(pack.id)
    await rm(dirname(path), { recursive: true })
  })

  it('posts events as JSON to /api/v1/lineage, and fails if a collector refuses an event', async () => {
    const requests: { line: string; type: string | undefined; body: string }[] = []
    const server = createServer(async (request, response) => {
      const { method, url, headers } = request
      requests.push({ line: `${method} ${url}`, type: headers['content-type'], body: await text(request) })
      response.writeHead(requests.length > 1 ? 400 : 201).end('no')
    }).listen(0, '127.0.0.1')
    onTestFinished(() => void server.close())
    await once(server, 'listening')
    const run = new Run(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 'job', [], ['out'])
    await run.start()
    await expect(run.fail()).rejects.toThrow('expected status 201, got 400: no')
    expect(requests.map(({ line, type }) => [line, type])).toEqual(
      Array(2).fill(['POST /api/v1/lineage', 'application/json']),
    )
    const [start, fail] = requests.map(({ body }) => JSON.parse(body))
    expect([start.eventType, fail.eventType, start.run.runId === fail.run.runId]).toEqual([
      'START',
      'FAIL',
      true,
    ])
  })

  it('has a collector that refuses events and facets that do not match their JSON schemas', async () => {
    const collector = await startCollector()
    onTestFinished(() => collector.close())
    const run = new Run(collector.url, 'job', [], [])
    await expect(run.complete([{ id: 'x', signer: 'x' }])).rejects.toThrow(
      'data/signers/0 must match pattern',
    )
    const answer = await fetch(`${collector.url}api/v1/lineage`, {
      method: 'POST',
      body: '{"eventType":"START"}',
    })
    expect([answer.status, collector.events]).toEqual([400, []])
  })
})
