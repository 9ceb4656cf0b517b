import { describe, expect, it } from 'vitest'
import { PHRASES_OF_PAGES } from '../docs/words.mjs'
import { alvarium } from './command.js'

async function commands(): Promise<string[]> {
  const { out } = await alvarium(['--help'])
  const [, list = ''] = out.split('\nCommands:\n')
  return [...list.matchAll(/^ {2}(\w+)/gm)].flatMap(([, name = '']) => NESTED[name] ?? [name])
}

const NESTED: Readonly<Record<string, string[]>> = {
  key: ['key show'],
  config: ['config check'],
  set: ['seal', 'prove', 'verify', 'update'].map((name) => `set ${name}`),
  trust: ['check', 'explain', 'add', 'rotate', 'revoke'].map((name) => `trust ${name}`),
  help: [],
  alvarium: [],
}

/** Returns the help without typed words: options, files and commands. */
const prose = (help: string) =>
  help.replaceAll(/\S+\.key\b|keys\/|-?-k(?:ey)?\b|<key>|^ {2}key\b|alvarium key/gm, '…')

describe('the help', () => {
  it('is the same with "alvarium help store lineage" and "alvarium store lineage --help"', async () => {
    const { out, code } = await alvarium(['help', 'store', 'lineage'])
    expect([code, out]).toEqual([0, (await alvarium(['store', 'lineage', '--help'])).out])
    expect(await alvarium(['help', 'store', 'linage'])).toMatchObject({
      code: 2,
      err: expect.stringContaining("'linage'"),
    })
  })

  it('contains no phrase that the word list bans', async () => {
    const all = [[], ...(await commands()).map((name) => name.split(' '))]
    expect(all.length).toBeGreaterThan(10)
    for (const command of all) {
      const { out } = await alvarium([...command, '--help'])
      const found = PHRASES_OF_PAGES.filter(({ pattern }) => pattern.test(prose(out)))
      expect([command, found.map(({ pattern }) => pattern.exec(prose(out))?.[0])]).toEqual([command, []])
    }
  })

  it('lists the exit codes of each command that returns a verdict', async () => {
    for (const command of [
      ['verify'],
      ['check'],
      ['doctor'],
      ['config', 'check'],
      ['trust', 'check'],
      ['trust', 'explain'],
      ['set', 'verify'],
      ['pack', 'verify'],
      ['store', 'score'],
      ['store', 'audit'],
      ['store', 'missing'],
    ]) {
      const { out } = await alvarium([...command, '--help'])
      expect(out).toMatch(/^Exit codes:\n {2}0 {2}.+\n {2}1 {2}.+\n {2}2 {2}it could not be decided/m)
    }
  })
})
