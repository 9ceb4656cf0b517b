// @internal: damaged files in thousands, and rows of Parquet as bytes, would take a process each
import { spawnSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import zlib from 'node:zlib'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { describe, expect, it } from 'vitest'
import { columnsIn } from '../../dist/cli/parquet/columns.js'
import { parquetRecords } from '../../dist/cli/parquet/records.js'
import { blocksOf } from '../guide/blocks.js'
import { alvarium, COMMAND, folder, withoutFolder } from './command.js'
import { signer } from './messages.js'

const vectors = join(import.meta.dirname, '../vectors/parquet')
const golden = (name: string) => readFile(join(vectors, name))
const lines = async () => (await golden('rows.ndjson')).toString().split('\n').slice(0, -1)
async function rowsOf(bytes: Uint8Array): Promise<string[]> {
  const source = {
    name: 'a.parquet',
    async *bytes() {
      yield bytes
    },
  }
  const rows: string[] = []
  for await (const records of parquetRecords(source, 'rows'))
    for (const record of records) rows.push(Buffer.from(record.bytes).toString())
  return rows
}

function readings(celsius: readonly number[], rowGroupSize = 2): Uint8Array {
  const columnData = [
    { name: 'id', data: celsius.map((_, at) => at + 1), type: 'INT32' as const },
    { name: 'celsius', data: [...celsius], type: 'DOUBLE' as const },
  ]
  return new Uint8Array(parquetWriteBuffer({ columnData, rowGroupSize }))
}

const CELSIUS = [21.4, 19.8, 20.1, 19.9]

/** Writes the readings, and returns functions that sign and check them. */
async function signReadings() {
  const { at, key, write } = await signer()
  const run = async (...args: string[]) => {
    const { out, err, code } = await alvarium(args)
    return { out: withoutFolder(out), err: withoutFolder(err), code }
  }
  const data = await write('a.parquet', readings(CELSIUS))
  const sign = ['-k', at('private.key')]
  return { at, key, write, run, data, sign }
}

describe('alvarium with Parquet files', () => {
  // claim: format-83, records-24
  it.each(['types', 'rewritten', 'brotli'])('reads from %s.parquet the same rows as Python', async (name) => {
    expect(await rowsOf(await golden(`${name}.parquet`))).toEqual(await lines())
  })

  it('reads zstd, or reports that this version of Node does not support zstd', async () => {
    const rows = rowsOf(await golden('zstd.parquet'))
    if (Reflect.has(zlib, 'zstdDecompressSync')) expect(await rows).toEqual(await lines())
    else
      await expect(rows).rejects.toThrow(
        'a.parquet row group 1: expected columns in snappy, gzip, brotli or zstd, got zstd: use Node 22.15 or later',
      )
  })

  it('annotates each row, and finds the altered, the missing and the added row', async () => {
    const { at, key, write, run, data, sign } = await signReadings()
    const messages = at('messages.ndjson')
    expect(await run('annotate', data, ...sign, '-o', messages)).toMatchObject({ code: 0 })
    const check = async (celsius: readonly number[]) =>
      run('check', await write('b.parquet', readings(celsius, 3)), messages, ...key)
    expect(await check(CELSIUS)).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^✓ holds: 4 records: 4 as signed, none missing/),
    })
    expect(await check([21.4, 18.9, 20.1])).toMatchObject({
      code: 1,
      out: expect.stringMatching(
        /^✗ altered {2}b\.parquet row 2 {2}.*\n✗ missing {2}after b\.parquet row 3 {2}/,
      ),
    })
    expect(await check([...CELSIUS, 30])).toMatchObject({
      code: 1,
      out: expect.stringMatching(/^✗ extra {4}b\.parquet row 5 {2}no message given is about it/),
    })
  })

  // claim: records-25
  it('verifies rows in canonical NDJSON against the manifest of the Parquet file', async () => {
    const { at, key, write, run, data, sign } = await signReadings()
    const manifest = at('a.manifest')
    await run('set', 'seal', data, ...sign, '--manifest', manifest)
    const ndjson = CELSIUS.map((celsius, at) => JSON.stringify({ celsius, id: at + 1 })).join('\n')
    expect(await run('check', await write('a.ndjson', ndjson), manifest, ...key)).toMatchObject({ code: 0 })
    expect(await run('check', data, manifest, ...key, '--by', 'id')).toMatchObject({ code: 0 })
    const { err, code } = await run('check', data, manifest, ...key, '--by', 'Id')
    expect([err, code]).toEqual([expect.stringContaining('expected a column of the file (id?), got "Id"'), 2])
  })

  it('proves that a row is in a set, and in a manifest', async () => {
    const { at, key, run, data, sign } = await signReadings()
    const [set, list, manifest, proof] = ['s.json', 's.list', 's.manifest', 'p.json'].map(at) as [
      string,
      string,
      string,
      string,
    ]
    await run('set', 'seal', data, ...sign, '-o', set, '-l', list)
    await run('set', 'seal', data, ...sign, '--manifest', manifest)
    expect(await run('set', 'prove', list, data, '--record', '3', '-o', proof)).toMatchObject({ code: 0 })
    expect(await run('set', 'verify', set, proof, data, '--record', '3', ...key)).toMatchObject({ code: 0 })
    expect(await run('set', 'verify', set, proof, data, '--record', '2', ...key)).toMatchObject({ code: 1 })
    expect(await run('set', 'prove', manifest, data, '--record', '3', '-o', at('m.json'))).toMatchObject({
      code: 0,
    })
  })

  // claim: records-27
  it('with -f row-groups signs each row group, and the bytes after the last row group as one more record', async () => {
    const { at, key, write, run, data, sign } = await signReadings()
    const manifest = at('g.manifest')
    const groups = ['-f', 'row-groups']
    await run('set', 'seal', data, ...sign, ...groups, '--manifest', manifest)
    expect(await run('check', data, manifest, ...key, ...groups)).toMatchObject({
      code: 0,
      out: expect.stringContaining('3 records: 3 as signed'),
    })
    const bytes = await readFile(data)
    bytes.write('H', bytes.indexOf('hyparquet'))
    expect(await run('check', await write('b.parquet', bytes), manifest, ...key, ...groups)).toMatchObject({
      code: 1,
      out: expect.stringMatching(/^✗ altered {2}b\.parquet row group 3 {2}/),
    })
    const altered = await write('c.parquet', readings([21.4, 19.8, 20.1, 18.9]))
    const { out, code } = await run('check', altered, manifest, ...key, ...groups)
    expect([code, out]).toEqual([1, expect.stringMatching(/^✗ altered {2}c\.parquet row group 2 {2}/)])
  })

  it('annotates rows from a pipe, and refuses options of text formats', async () => {
    const { at, sign, run } = await signReadings()
    const piped = ['annotate', '-', ...sign, '-f', 'rows']
    const { code } = await alvarium([...piped, '-o', at('p.ndjson')], { input: readings(CELSIUS) })
    expect([code, (await readFile(at('p.ndjson'), 'utf8')).split('\n').length]).toEqual([0, 5])
    expect((await run(...piped, '--delimiter', ';')).err).toContain('cannot be combined with the format rows')
  })

  // claim: records-26
  it('reports a damaged file by its name, and does not crash', async () => {
    const file = await golden('types.parquet')
    let seed = 7
    const random = (below: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
      return seed % below
    }
    for (let round = 0; round < 150; round++) {
      const bytes = round % 10 === 0 ? file.subarray(0, random(file.length)) : Buffer.from(file)
      for (let at = 0; at < 3; at++) bytes[random(bytes.length)] = random(256)
      const error = await rowsOf(bytes).then(
        () => undefined,
        (thrown) => thrown,
      )
      if (error)
        expect(error).toMatchObject({
          code: 'FILE_UNREADABLE',
          message: expect.stringMatching(/^a\.parquet/),
        })
    }
  })

  it('refuses a file that is not Parquet, and a value that a row cannot express', async () => {
    const { write, run, sign } = await signReadings()
    const text = await write('t.parquet', 'id,celsius\n1,2\n')
    expect(await run('set', 'seal', text, ...sign)).toMatchObject({
      code: 2,
      err: expect.stringContaining('t.parquet: expected a whole Parquet file, got a damaged file'),
    })
    const days = [
      { name: 'day', data: [new Date('2026-11-30'), new Date(8.64e15)], type: 'TIMESTAMP' as const },
    ]
    await expect(rowsOf(new Uint8Array(parquetWriteBuffer({ columnData: days })))).rejects.toThrow(
      'a.parquet row 2 column day: expected dates of the years 0001 to 9999, got 8640000000000 seconds from 1970 on',
    )
  })

  it.each([
    ['columns', []],
    ['members of a group', [{ name: 'group', num_children: 2 }]],
  ])('refuses two %s with the same name, even if one of them is a group', (_, above) => {
    const schema = [
      { name: 'schema', num_children: 2 - above.length },
      ...above,
      { name: 'a', num_children: 1 },
      { name: 'x', type: 'INT32' as const },
      { name: 'a', type: 'INT32' as const },
    ]
    expect(() => columnsIn(schema)).toThrow('columns of different names')
  })

  it('reads no value for --by if that option is not given, even if a column has an empty name', async () => {
    const columnData = [{ name: '', data: [1, 2], type: 'INT32' as const }]
    const source = {
      name: 'a.parquet',
      async *bytes() {
        yield new Uint8Array(parquetWriteBuffer({ columnData }))
      },
    }
    for await (const records of parquetRecords(source, 'rows'))
      for (const record of records) expect(record).not.toHaveProperty('by')
  })

  it('finds the altered row when the commands of the guide are pasted', async () => {
    const cwd = await folder()
    const blocks = blocksOf('examples/guide/records.md').filter(({ mark }) => mark === 'parquet')
    const [python, shell] = blocks.map(({ code }) => code) as [string, string]
    const run = (program: string, ...args: string[]) => spawnSync(program, args, { cwd, encoding: 'utf8' })
    if (run('python3', '-c', 'import pandas, pyarrow').status === 0)
      expect(run('python3', '-c', python)).toMatchObject({ status: 0 })
    else {
      await writeFile(join(cwd, 'readings.parquet'), readings([21.4, 19.8, 21.5]))
      await writeFile(join(cwd, 'later.parquet'), readings([21.4, 18.9, 21.5], 1))
    }
    const alvariums = `alvarium() { "${process.execPath}" "${COMMAND}" "$@"; }`
    const { stdout, status } = run('bash', '-c', `${alvariums}\nalvarium keygen\n${shell}`)
    expect([stdout, status]).toEqual([expect.stringContaining('✗ altered  later.parquet row 2'), 1])
  })
})
