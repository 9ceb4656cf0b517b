import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { printed } from './packed.js'

const { shell } = inject('packed')
const command = join(shell, 'node_modules/.bin/alvarium')
const alvarium = (...args: string[]) => printed(command, args, shell)
/** Returns the output of a command that ends with an error. */
const fail = (...args: string[]): Promise<{ stdout: string; stderr: string }> =>
  promisify(execFile)(command, args, { cwd: shell }).catch((error) => error)

const CONFIG = `
annotators: [checksum, sbom]
signature:
  public: { type: ed25519, path: public.key }
  private: { type: ed25519, path: private.key }
stream: { type: console }
`

describe('the command alvarium, installed by alvarium-command alone,', () => {
  beforeAll(async () => {
    await writeFile(join(shell, 'readings.csv'), 'celsius,place\n21.4,hall\n')
    await alvarium('keygen')
  })

  it('prints the version in package.json, and needs no installed alvarium-sdk', async () => {
    const { version } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'))
    expect(await alvarium('--version')).toBe(version)
    const lock = JSON.parse(await readFile(join(shell, 'package-lock.json'), 'utf8'))
    expect(Object.keys(lock.packages)).not.toContain('node_modules/alvarium-sdk')
  })

  it.each(['Ed25519', 'P-256'])('annotates and verifies with a key of %s', async (algorithm) => {
    const [own, trusted, messages] = ['private', 'public', 'ndjson'].map((end) => `${algorithm}.${end}`)
    await alvarium('keygen', '--algorithm', algorithm, '--out', `${own}`, '--public', `${trusted}`)
    await alvarium('annotate', 'readings.csv', '-k', `${own}`, '-o', `${messages}`)
    expect(await alvarium('verify', `${messages}`, '-k', `${trusted}`)).toContain('1 message: 1 verified')
  })

  it('reads a config in YAML that names file annotators', async () => {
    await writeFile(join(shell, 'config.yaml'), CONFIG)
    expect(await alvarium('config', 'check', 'config.yaml')).toContain('checksum')
  })

  it('fails with the name of the package to install if a subcommand needs a store', async () => {
    const { stderr } = await fail('store', 'init', '--database', 'store')
    expect(stderr).toContain('npm install @electric-sql/pglite')
  })

  it('runs a broker for trials, which alvarium doctor can check', async () => {
    const broker = execFile(command, ['broker', '--port', '0', '--tcp-port', '0'])
    try {
      const url = await new Promise<string>((resolve) => {
        broker.stdout?.on('data', (text) => resolve(/ws:\/\/\S+/.exec(`${text}`)?.[0] ?? ''))
      })
      expect((await fail('doctor', url)).stdout).toContain(url)
    } finally {
      broker.kill()
    }
  })
})
