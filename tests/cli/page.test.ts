// @slow

import { spawn } from 'node:child_process'
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { type Block, blocksOf } from '../guide/blocks.js'
import { COMMAND, folder } from './command.js'
import { brokerForAll } from './listening.js'

const broker = brokerForAll()

/** tests/cli/broker.test.ts covers `alvarium broker`; its default port may be in use here. */
const blocks = blocksOf('examples/guide/command.md').filter(({ mark }) => mark !== 'broker')

it("the commands on the guide's page command.md, pasted in order, exit as the page states", async () => {
  const cwd = await workshop()
  const waiting: Promise<void>[] = []
  for (const block of blocks) {
    const running = pasted(block, cwd)
    if (block.mark !== 'waits') await running.ended
    else {
      waiting.push(running.ended)
      await running.begun
    }
  }
  await Promise.all(waiting)
  expect(waiting).toHaveLength(2)
  await expectNothingIsWrittenOver(cwd)
})

it("the commands on the guide's page sets.md, pasted in order, exit as the page states", async () => {
  const cwd = await workshop()
  for (const block of blocksOf('examples/guide/sets.md').filter(({ language }) => language === 'sh'))
    await pasted({ ...block, code: `set -e\n${block.code}` }, cwd).ended
})

/** Checks that, pasted a second time, commands that write fail with advice, and the others repeat their output. */
async function expectNothingIsWrittenOver(cwd: string): Promise<void> {
  const written = () =>
    Promise.all(
      ['private.key', 'messages.ndjson', 'converted.ndjson', 'average.ndjson'].map((name) =>
        readFile(join(cwd, name)),
      ),
    )
  const before = await written()
  const refusals: string[] = []
  for (const block of blocks.filter(({ mark }) => mark !== 'waits')) {
    await pasted(block, cwd).ended.catch((error: Error) => refusals.push(error.message))
  }
  expect(await written()).toEqual(before)
  // keygen and trust add fail too, but their blocks continue.
  expect(refusals).toHaveLength(4)
  for (const refusal of refusals) expect(refusal).toMatch(/got 2\n.*(exists|--append|--force)/s)
}

/** Makes a folder in which `alvarium` is a command. */
async function workshop(): Promise<string> {
  const cwd = await folder()
  await mkdir(join(cwd, 'bin'))
  await writeFile(join(cwd, 'bin/alvarium'), `#!/bin/sh\nexec "${process.execPath}" "${COMMAND}" "$@"\n`)
  await chmod(join(cwd, 'bin/alvarium'), 0o755)
  return cwd
}

/**
 * Runs a block in a shell. `begun` resolves at its first output on standard error, `ended` when it has exited as the
 * page says.
 */
function pasted({ code, line }: Block, cwd: string) {
  const PATH = [join(cwd, 'bin'), process.env['PATH']].join(delimiter)
  const script = code.replaceAll('ws://localhost:9001', broker().url)
  const child = spawn('bash', ['-c', script], { cwd, env: { ...process.env, PATH } })
  const said = Promise.all([text(child.stdout), text(child.stderr)])
  const begun = new Promise((resolve) => child.stderr.once('data', resolve))
  const ended = new Promise<void>((resolve, reject) => {
    child.on('close', async (exit) => {
      const expected = code.includes('exit code 1') ? 1 : 0
      const all = (await said).join('')
      if (exit === expected && all !== '') resolve()
      else reject(new Error(`line ${line}: expected it to end with ${expected}, got ${exit}\n${all}`))
    })
  })
  return { begun, ended }
}
