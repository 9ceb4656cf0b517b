import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { folder, inPipe } from './command.js'
import { signer } from './messages.js'

/** Hooks of Node's loader, which run in their own thread and record the loaded modules. */
const HOOKS = `
import { appendFileSync } from 'node:fs'
export async function load(url, context, next) {
  appendFileSync(process.env.LOADED, url + '\\n')
  return next(url, context)
}`

const asModule = (code: string) => `data:text/javascript,${encodeURIComponent(code)}`
const register = asModule(
  `import { register } from 'node:module'; register(${JSON.stringify(asModule(HOOKS))})`,
)

async function loadedBy(args: readonly string[]): Promise<string> {
  const LOADED = join(await folder(), 'loaded')
  const { code } = await inPipe(args, { env: { LOADED, NODE_OPTIONS: `--import ${register}` } })
  expect(code).toBe(0)
  return readFile(LOADED, 'utf8')
}

it('the command shows its help without the SDK', async () => {
  const loaded = await loadedBy(['verify', '--help'])
  expect(loaded).toMatch(/\/dist\/cli\/main\.js/)
  expect(loaded).not.toMatch(/\/dist\/(?!cli\/|foundation\/(?:base|model)\/)/)
})

it('alvarium verify of files loads no code for signing, publishing or MQTT', async () => {
  const { key, sealed, write } = await signer()
  const loaded = await loadedBy(['verify', ...key, await write('message.json', (await sealed()).a)])
  expect(loaded).toMatch(/\/dist\/verifying\/verify\//)
  // Two stream modules are allowed: a trust policy has `leased`, which may use a stream.
  expect(loaded).not.toMatch(
    /\/dist\/(transport\/streams\/(?!claim|stream\.)|signing\/seal\/|sdk\/delivery\/|sdk\/pool\/)|node_modules\/mqtt\//,
  )
})
