import { execFileSync } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const root = join(import.meta.dirname, '../..')
/** The files whose text people read, paste or see in output. */
const READ = ['*.md', 'examples', 'js', 'tests/cli/newcomer.mjs']
/** Programs that run a package of the registry by its name. */
const RUNNERS = /\b(npx|bunx|dlx|npm exec|npm x|npm create|npm init|bun x|deno run)\b[^\n]*\balvarium/

it('no command in the docs runs a registry package named alvarium, because anyone may register that name', () => {
  const args = ['ls-files', '-z', '--', ...READ]
  const names = execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\0').filter(Boolean)
  // Git lists links to folders too.
  const files = names.filter((name) => statSync(join(root, name)).isFile())
  const lines = files.flatMap((file) =>
    readFileSync(join(root, file), 'utf8')
      .split('\n')
      .filter((line) => RUNNERS.test(line))
      .map((line) => `${file}: ${line}`),
  )
  expect(files.length).toBeGreaterThan(300)
  expect(lines).toEqual([])
})
