import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { keyIdOf, openSdk, readKey } from 'alvarium-sdk'
import { fromConfig } from 'alvarium-sdk/config'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TestBroker } from '../brokers/brokers.js'
import { startEmbedded } from '../brokers/embedded.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const page = await readFile(join(root, 'examples/guide/migrating.md'), 'utf8')
/** The JavaScript blocks of the page, by the word after their language. */
const blocks = new Map(
  [...page.matchAll(/^```js (\w+)\n(.*?)^```$/gms)].map(([, name, code]) => [name, code] as const),
)

let broker: TestBroker
let folder: string
beforeAll(async () => {
  broker = await startEmbedded()
  folder = await mkdtemp(join(tmpdir(), 'alvarium-migrating-'))
  await mkdir(join(folder, 'node_modules'))
  await symlink(root, join(folder, 'node_modules/alvarium-sdk'))
  for (const [name, code = ''] of blocks) await writeFile(join(folder, `${name}.mjs`), code)
  await promisify(execFile)(process.execPath, ['keys.mjs'], { cwd: folder })
})
afterAll(async () => {
  await broker.stop()
  await rm(folder, { recursive: true })
})

const signature = {
  public: { type: 'ed25519', path: 'public.key' },
  private: { type: 'ed25519', path: 'private.key' },
}

describe('the page about moving from another SDK', () => {
  it('contains exactly the code blocks that this test runs', () => {
    expect([...blocks.keys()].sort()).toEqual(['consume', 'keys', 'publish'])
  })

  it("has code that publishes with another SDK's config, and code that reads messages of that SDK", async () => {
    const provider = { host: '127.0.0.1', protocol: 'tcp', port: Number(new URL(broker.tcpUrl).port) }
    const stream = { type: 'mqtt', config: { qos: 1, topics: ['alvarium'], provider } }
    const config = { annotators: ['tpm', 'src'], layer: 'app', hash: { type: 'sha256' }, signature, stream }
    await writeFile(join(folder, 'config.json'), JSON.stringify(config))
    const options = { cwd: folder, env: { ...process.env, BROKER: broker.url } }
    const consumer = spawn(process.execPath, ['consume.mjs'], options)
    const said: string[] = []
    consumer.stdout.setEncoding('utf8').on('data', (text: string) => said.push(text))
    consumer.stderr.setEncoding('utf8').on('data', (text: string) => said.push(text))
    const ended = once(consumer, 'close')
    await once(consumer.stdout, 'data')
    await promisify(execFile)(process.execPath, ['publish.mjs'], options)
    await ended
    expect(said.join('').trim().split('\n')).toEqual([
      'listening',
      'create go 2',
      'mutate go 3',
      'transit go 2',
      'publish go 2',
    ])
  })

  it("has code that creates key files in all SDKs' forms for one key pair", async () => {
    const signerOf = async (path: string) => {
      const own = { ...signature, private: { type: 'ed25519', path } }
      const sdk = await openSdk(await fromConfig({ signature: own, stream: { type: 'mock' } }, { folder }))
      const { bundle } = await sdk.create(new Uint8Array())
      await sdk.close()
      return bundle.signer
    }
    const signer = keyIdOf(await readKey(join(folder, 'public.key')))
    expect([await signerOf('private.key'), await signerOf('private-rust.key')]).toEqual([signer, signer])
  })

  it.each(['Java', 'Go', 'Rust', 'Python', 'JavaScript'])('shows the steps in %s', (language) => {
    expect(page).toContain(
      `\n${language}:\n\n\`\`\`${language.toLowerCase().replace('javascript', 'js publish')}\n`,
    )
  })
})
