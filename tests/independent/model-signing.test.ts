// @slow: it runs other verifiers

import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { generateKey } from 'alvarium-sdk'
import { toOmsBundle } from 'alvarium-sdk/packs'
import { verifyMember, verifySet } from 'alvarium-sdk/sets'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Random } from '../attack/random.mjs'
import { alvarium } from '../cli/command.js'
import { fromBase64, textOf, utf8 } from '../support/bytes.js'
import { nodeKey } from '../support/node-key.js'

// The tool of OpenSSF, if installed: pip install model-signing==1.1.1 pyOpenSSL. MODEL_SIGNING names it if it is not on
// the PATH.

// MODEL_SIGNING_COUNT=1000 runs more folders.

const { MODEL_SIGNING = 'model_signing', MODEL_SIGNING_COUNT = '10' } = process.env

const folder = mkdtempSync(join(tmpdir(), 'alvarium-model-signing-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const at = (name: string) => join(folder, name)

const version = spawnSync(MODEL_SIGNING, ['--version'], { encoding: 'utf8' })
const isThere = version.status === 0
if (!isThere) console.warn(`not tested: what model_signing says. ${version.error?.message ?? version.stderr}`)

function verdictOf(signature = at('model.sig')): string {
  const args = ['verify', 'key', at('model'), '--signature', signature, '--public_key', at('public.key')]
  const { stdout, stderr } = spawnSync(MODEL_SIGNING, args, { encoding: 'utf8' })
  return stdout + stderr
}

const FILES = {
  'card.md': 'a card\n',
  'rows.csv': 'id,celsius\n1,21.4\n2,19.8\n',
  'weights/1.bin': 'weights',
}

describe.skipIf(!isThere)('the command "model_signing verify key"', () => {
  beforeAll(async () => {
    mkdirSync(at('model/weights'), { recursive: true })
    mkdirSync(at('model/.git'))
    writeFileSync(at('model/.git/HEAD'), 'ref')
    for (const [name, text] of Object.entries(FILES)) writeFileSync(join(at('model'), name), text)
    const keys = ['-o', at('private.key'), '-p', at('public.key')]
    expect((await alvarium(['keygen', '--algorithm', 'P-256', ...keys])).code).toBe(0)
    const out = ['-o', at('set.json'), '-l', at('set.list'), '--signature', at('model.sig')]
    const ran = await alvarium(['set', 'seal', at('model'), '-k', at('private.key'), '--as', 'oms', ...out])
    expect([ran.err, ran.code]).toEqual(['', 0])
  })

  it('accepts a folder sealed with "alvarium set seal --as oms"', () => {
    expect(verdictOf()).toContain('Verification succeeded')
  })

  it.each(Object.keys(FILES))('names the altered file %s', (name) => {
    writeFileSync(join(at('model'), name), 'altered')
    const verdict = verdictOf()
    writeFileSync(join(at('model'), name), FILES[name as keyof typeof FILES])
    // Python escapes the quotes if the digest has some.
    expect(verdict.replaceAll('\\', '')).toContain(`Hash mismatch for '${name}'`)
    expect(verdictOf()).toContain('Verification succeeded')
  })

  it('names an added file and a missing file', () => {
    writeFileSync(at('model/more.bin'), 'more')
    const added = verdictOf()
    rmSync(at('model/more.bin'))
    rmSync(at('model/card.md'))
    const gone = verdictOf()
    writeFileSync(at('model/card.md'), FILES['card.md'])
    expect([added.includes('more.bin'), gone.includes('card.md')]).toEqual([true, true])
    expect([added, gone].join()).not.toContain('Verification succeeded')
  })

  it('refuses a signature if the root of the set in its statement was altered', () => {
    const bundle = JSON.parse(readFileSync(at('model.sig'), 'utf8'))
    const statement = textOf(fromBase64(bundle.dsseEnvelope.payload))
    const root = /"root":"(\w{64})"/.exec(statement)?.[1] as string
    const other = statement.replace(root, '0'.repeat(64))
    bundle.dsseEnvelope.payload = Buffer.from(other).toString('base64')
    writeFileSync(at('other.sig'), JSON.stringify(bundle))
    expect(verdictOf(at('other.sig'))).not.toContain('Verification succeeded')
  })

  it('accepts a signature over the root of a set that also verifies the proof of a row', async () => {
    writeFileSync(at('row'), '2,19.8')
    const ran = await alvarium(['set', 'prove', at('set.list'), at('row'), '-o', at('proof.json')])
    expect(ran.code).toBe(0)
    const keyring = [readFileSync(at('public.key'))]
    const set = await verifySet(readFileSync(at('set.json')), { keyring })
    expect(verifyMember(set, readFileSync(at('proof.json')), utf8('2,19.8')).index).toBeGreaterThanOrEqual(0)
    const { payload } = JSON.parse(readFileSync(at('model.sig'), 'utf8')).dsseEnvelope
    expect(textOf(fromBase64(payload))).toContain(`"root":"${set.root}"`)
  })
})

describe.skipIf(!isThere)('the library model_signing', () => {
  it('accepts random folders that toOmsBundle signed, and refuses altered folders', async () => {
    const random = new Random(50)
    const { signingKey, verifyingKey } = await generateKey({ algorithm: 'P-256' })
    const key = at('many.key')
    writeFileSync(key, nodeKey(verifyingKey).export({ type: 'spki', format: 'pem' }))
    const asked = []
    for (let number = 0; number < Number(MODEL_SIGNING_COUNT); number++) {
      const folder = at(`many/${number}`)
      const names = filesIn(random, folder)
      const files = names.map((name) => ({
        name,
        digest: createHash('sha256')
          .update(readFileSync(join(folder, name)))
          .digest('hex'),
      }))
      const signature = at(`many/${number}.sig`)
      writeFileSync(signature, await toOmsBundle(files, { signingKey, name: `model-${number}` }))
      asked.push({ folder, signature, key })
    }
    expect(new Set(answers(asked))).toEqual(new Set(['accepted']))
    for (const one of asked) alter(random, one)
    expect(answers(asked)).not.toContain('accepted')
  })
})

interface SignedFolder {
  readonly folder: string
  readonly signature: string
  readonly key: string
}

/** Returns the library's answers about folders. @returns `accepted`, or the kind of its error, for each */
function answers(asked: readonly SignedFolder[]): string[] {
  const script = fileURLToPath(new URL('model-signing.py', import.meta.url))
  const program = spawnSync('sh', ['-c', 'command -v "$0"', MODEL_SIGNING], {
    encoding: 'utf8',
  }).stdout.trim()
  // The first line of a script from pip names its interpreter.
  const [shebang = ''] = readFileSync(program, 'utf8').split('\n')
  const input = asked.map((one) => `${JSON.stringify(one)}\n`).join('')
  const { stdout, stderr } = spawnSync(shebang.slice(2), [script], { input, encoding: 'utf8' })
  const verdicts = stdout.trimEnd().split('\n')
  if (verdicts.length !== asked.length) throw new Error(stderr)
  return verdicts
}

/** Writes 1 to 5 files, some below another folder. @returns their names */
function filesIn(random: Random, folder: string): string[] {
  mkdirSync(join(folder, 'weights'), { recursive: true })
  return Array.from({ length: 1 + random.below(5) }, (_, place) => {
    const name = random.pick([`${place}.bin`, `weights/${place}.bin`])
    writeFileSync(join(folder, name), random.bytes(random.below(2_000)))
    return name
  })
}

function alter(random: Random, { folder, signature }: SignedFolder): void {
  const bundle = JSON.parse(readFileSync(signature, 'utf8'))
  const { dsseEnvelope: envelope } = bundle
  const write = () => writeFileSync(signature, JSON.stringify(bundle))
  random.pick([
    () => writeFileSync(join(folder, 'more.bin'), random.bytes(3)),
    () => {
      const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
        name.endsWith('.bin'),
      )
      rmSync(join(folder, random.pick(names)))
    },
    () => {
      envelope.payload = flipBit(random, envelope.payload)
      write()
    },
    () => {
      envelope.signatures[0].sig = flipBit(random, envelope.signatures[0].sig)
      write()
    },
  ])()
}

function flipBit(random: Random, base64: string): string {
  const bytes = Buffer.from(base64, 'base64')
  const place = random.below(bytes.length)
  bytes[place] = (bytes[place] as number) ^ (1 << random.below(8))
  return bytes.toString('base64')
}
