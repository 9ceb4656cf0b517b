import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmod, copyFile, readdir, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { expect, it } from 'vitest'
import { COMMAND, folder } from '../cli/command.js'
import { pythonWithCryptography } from '../running/python.mjs'
import { blocksOf } from './blocks.js'

const VERIFIER = join(import.meta.dirname, '../independent')

/** Makes a folder with the verifier in Python, a key pair, and the command `alvarium`. */
async function pythonFolder() {
  const cwd = await folder()
  for (const name of (await readdir(VERIFIER)).filter((one) => one.endsWith('.py')))
    await copyFile(join(VERIFIER, name), join(cwd, name))
  await writeFile(join(cwd, 'alvarium'), `#!/bin/sh\nexec "${process.execPath}" "${COMMAND}" "$@"\n`)
  await chmod(join(cwd, 'alvarium'), 0o755)
  execFileSync(join(cwd, 'alvarium'), ['keygen'], { cwd, stdio: 'ignore' })
  return cwd
}

it('the programs of the guide’s page about Python sign lines and binary records, and verify them', async () => {
  const cwd = await pythonFolder()
  const programs = blocksOf('examples/guide/python.md').filter(({ language }) => language === 'py')
  const question = `
key = open("public.key").read().strip()
for name in ("annotated.ndjson", "frames.ndjson"):
    for bundles in verify(open(name, "rb").read().splitlines(), key):
        print(bundles[0]["key"])
print(verify([b"no message"], key))`
  const { stdout, stderr } = spawnSync(
    pythonWithCryptography(),
    ['-c', [...programs.map(({ code }) => code), question].join('\n')],
    { cwd, encoding: 'utf8', env: { ...process.env, PATH: `${cwd}${delimiter}${process.env['PATH']}` } },
  )
  const payloads = ['{"sensor":"hall-2","celsius":21.4}', '{"sensor":"hall-2","celsius":21.5}']
  const frames = ['\0\u0001', 'two\nlines']
  const keys = [...payloads, ...frames].map((one) =>
    createHash('sha256').update(one).digest('hex').toUpperCase(),
  )
  expect([stdout.trim().split('\n'), stderr]).toEqual([[...keys, '[None]'], expect.any(String)])
})
