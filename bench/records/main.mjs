// Measures evidence about the rows of a CSV file: its size, and the time to make and verify it:
//
//   npm run build && node bench/records/main.mjs            20,000 rows, one round
//   npm run build && node bench/records/main.mjs --full     1,000,000 rows, three rounds; takes minutes
//
// The forms of evidence take turns. Each figure is the smallest of all rounds. minisign, git-lfs and DVC are
// measured too if they are installed. These tools cover the whole file and name no row.

import { execFileSync, spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { Random } from '../../tests/attack/random.mjs'
import { pythonWithCryptography } from '../../tests/running/python.mjs'

const { values } = parseArgs({ options: { full: { type: 'boolean', default: false } } })
const ROWS = values.full ? 1_000_000 : 20_000
const ROUNDS = values.full ? 3 : 1

const python = pythonWithCryptography()
const pathOf = (name) => fileURLToPath(new URL(name, import.meta.url))
const alvarium = [process.execPath, pathOf('../../dist/cli/main.js')]
const folder = mkdtempSync(join(tmpdir(), 'evidence-'))
const at = (name) => join(folder, name)
const [data, key, trusted] = [at('data.csv'), at('private.key'), ['--key', at('public.key')]]

/** Forms of evidence, each with the commands that make and verify it, and its file. */
const WAYS = {
  'a message a row': {
    file: at('single.ndjson'),
    make: [...alvarium, 'annotate', data, '-k', key, '-o', at('single.ndjson')],
    check: [...alvarium, 'check', data, at('single.ndjson'), ...trusted],
  },
  'batches of 256': {
    file: at('batches.ndjson'),
    make: [...alvarium, 'annotate', data, '-k', key, '--batch', '256', '-o', at('batches.ndjson')],
    check: [...alvarium, 'check', data, at('batches.ndjson'), ...trusted],
  },
  'batches of 256 in CBOR': {
    file: at('batches.cbor'),
    make: [
      ...alvarium,
      'annotate',
      data,
      '-k',
      key,
      '--batch',
      '256',
      '--codec',
      'cbor',
      '-o',
      at('batches.cbor'),
    ],
    check: [...alvarium, 'check', data, at('batches.cbor'), ...trusted],
  },
  manifest: {
    file: at('data.manifest'),
    make: [...alvarium, 'set', 'seal', data, '-k', key, '--manifest', at('data.manifest')],
    check: [...alvarium, 'check', data, at('data.manifest'), ...trusted],
  },
  'SHA-256 a row in Python, one signature': {
    file: at('data.sha256'),
    make: [python, pathOf('rows.py'), 'sign', data, at('data.sha256'), key],
    check: [python, pathOf('rows.py'), 'check', data, at('data.sha256'), key],
  },
}

/** Tools that sign or hash the file as a whole, each with a command that prepares it. */
const WHOLE_FILE_WAYS = {
  'minisign, the whole file': {
    program: 'minisign',
    prepare: () => execFileSync('minisign', ['-G', '-W', '-p', at('mini.pub'), '-s', at('mini.key')]),
    file: at('data.minisig'),
    make: ['minisign', '-S', '-s', at('mini.key'), '-m', data, '-x', at('data.minisig')],
    check: ['minisign', '-V', '-q', '-p', at('mini.pub'), '-m', data, '-x', at('data.minisig')],
  },
  'git-lfs pointer, the whole file': {
    program: 'git-lfs',
    prepare: () => {},
    file: at('data.pointer'),
    make: ['sh', '-c', `git lfs pointer --file=${data} > ${at('data.pointer')}`],
    check: ['sh', '-c', `git lfs pointer --file=${data} --pointer=${at('data.pointer')}`],
  },
  'DVC, the whole file': {
    program: 'dvc',
    prepare: () => {
      mkdirSync(at('dvc'))
      copyFileSync(data, at('dvc/data.csv'))
      execFileSync('dvc', ['--cd', at('dvc'), 'init', '--no-scm', '-q'])
    },
    file: at('dvc/data.csv.dvc'),
    make: ['dvc', '--cd', at('dvc'), 'add', '-q', 'data.csv'],
    check: ['dvc', '--cd', at('dvc'), 'status', '-q', 'data.csv.dvc'],
  },
}

try {
  writeFileSync(data, csvOf(ROWS))
  execFileSync(alvarium[0], [alvarium[1], 'keygen', '-o', key, '--public', at('public.key')])
  print(measureAll({ ...WAYS, ...installedWays() }))
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/** Prepares the tools that are installed, and returns them. */
function installedWays() {
  const isInstalled = ({ program }) => !spawnSync(program, ['--version']).error
  const installed = Object.entries(WHOLE_FILE_WAYS).filter(([, way]) => isInstalled(way))
  for (const [, { prepare }] of installed) prepare()
  return Object.fromEntries(installed)
}

/** Returns CSV with rows of about 52 bytes. */
function csvOf(count) {
  const random = new Random(49)
  const rows = ['id,time,sensor,celsius,humidity']
  for (let row = 0; row < count; row++) {
    const minute = `${row % 60}`.padStart(2, '0')
    const [celsius, humidity] = [random.below(60_000) / 1000 - 20, random.below(100_000) / 1000]
    const sensor = `north-${random.below(1000)}`
    rows.push(`${row},2026-11-20T10:${minute}:00Z,${sensor},${celsius.toFixed(3)},${humidity.toFixed(3)}`)
  }
  return `${rows.join('\n')}\n`
}

function measureAll(ways) {
  const rows = Object.entries(ways).map(([name, way]) => ({ name, way, make: [], check: [] }))
  for (let round = 0; round < ROUNDS; round++) {
    for (const { way, make, check } of rows) {
      rmSync(way.file, { force: true })
      make.push(usageOf(way.make))
      check.push(usageOf(way.check))
    }
  }
  return rows
}

function usageOf(command) {
  const [code, seconds, mb] = `${execFileSync(python, [pathOf('usage.py'), ...command])}`
    .split(' ')
    .map(Number)
  if (code !== 0) throw new Error(`${command.join(' ')} ended with ${code}`)
  return { seconds, mb }
}

function print(rows) {
  const least = (all, name) => Math.min(...all.map((one) => one[name]))
  const bytes = statSync(data).size
  console.log(`${ROWS} rows, ${(bytes / 1e6).toFixed(1)} MB of CSV`)
  console.log('| evidence | bytes a row | make | check | memory |')
  console.log('|---|---|---|---|---|')
  for (const { name, way, make, check } of rows) {
    const { size: length } = statSync(way.file)
    const size = length < ROWS ? '< 1' : (length / ROWS).toFixed(0)
    const memory = Math.max(least(make, 'mb'), least(check, 'mb')).toFixed(0)
    const times = [make, check].map((all) => `${least(all, 'seconds').toFixed(1)} s`)
    console.log(`| ${name} | ${size} | ${times.join(' | ')} | ${memory} MB |`)
  }
}
