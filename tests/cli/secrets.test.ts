// @slow: it runs each command with a secret in each place

import type { Command } from 'commander'
import { afterEach, describe, expect, it } from 'vitest'
import { SECRET_TEXTS, secretIn } from '../support/secrets.js'
import { alvarium, programFor } from './command.js'
import { signer } from './messages.js'

/** Options whose values are names, which errors and notes may quote. */
const NAMES = ['--host']

/** A line of each command that gets past the check of its arguments, without the command's name. */
const LINES: Readonly<Record<string, string>> = {
  keygen: '-o FOLDER/new.key',
  'key show': 'FOLDER/public.key',
  annotate: 'FOLDER/data.txt -k FOLDER/private.key -o FOLDER/out.ndjson --force',
  verify: 'FOLDER/messages.ndjson -k FOLDER/public.key',
  check: 'FOLDER/data.txt FOLDER/messages.ndjson -k FOLDER/public.key',
  inspect: 'FOLDER/messages.ndjson',
  listen: 'ws://127.0.0.1:1 readings -k FOLDER/public.key',
  score: 'FOLDER/messages.ndjson -k FOLDER/public.key',
  lineage: 'FOLDER/data.txt FOLDER/messages.ndjson -k FOLDER/public.key',
  audit: 'FOLDER/messages.ndjson -k FOLDER/public.key',
  'set seal': 'FOLDER/data.txt -k FOLDER/private.key -o FOLDER/new-set.json -l FOLDER/new-set.list',
  'set prove': 'FOLDER/set.list x --record 1',
  'set verify': 'FOLDER/set.json -k FOLDER/public.key',
  'set update': 'FOLDER/set.list FOLDER/set.list',
  'store init': '--database FOLDER/none',
  'store ingest': 'FOLDER/messages.ndjson -k FOLDER/public.key --database FOLDER/none',
  'store retry': '-k FOLDER/public.key --database FOLDER/none',
  'store about': 'FOLDER/data.txt --database FOLDER/none',
  'store history': 'FOLDER/data.txt --database FOLDER/none',
  'store find': '--database FOLDER/none',
  'store signers': '--database FOLDER/none',
  'store lineage': 'FOLDER/data.txt --database FOLDER/none',
  'store score': 'FOLDER/data.txt -k FOLDER/public.key --database FOLDER/none',
  'store export': 'FOLDER/data.txt --database FOLDER/none',
  'store missing': '--database FOLDER/none',
  'store audit': '--itself --database FOLDER/none',
  'store checkpoint': '--origin example.com/log -k FOLDER/private.key --database FOLDER/none',
  'store prune': '--before 2026-01-01T00:00:00Z --database FOLDER/none',
  'store forget': 'FOLDER/data.txt --database FOLDER/none',
  'store serve': '--database FOLDER/none --port 0',
  'pack make': 'FOLDER/messages.ndjson -k FOLDER/public.key --query all -o FOLDER/new.pack',
  'pack verify': 'FOLDER/data.txt -k FOLDER/public.key',
  'pack export': 'FOLDER/data.txt --as prov',
  doctor: 'ws://127.0.0.1:1 -k FOLDER/public.key',
  broker: '--port 1 --host 203.0.113.1',
  witness: '--name w.example/1 --state FOLDER/witness --signer FOLDER/public.key --host 203.0.113.1',
  bench: 'extra',
  'config check': 'FOLDER/data.txt',
  'trust check': 'FOLDER/data.txt',
  'trust explain': 'FOLDER/messages.ndjson -t FOLDER/data.txt',
  'trust add': 'hall -t FOLDER/trust.json -k FOLDER/public.key --dry-run',
  'trust rotate': 'hall -t FOLDER/trust.json -k FOLDER/public.key --dry-run',
  'trust revoke': 'hall -t FOLDER/trust.json --dry-run',
  completion: 'bash',
}

/** A command with all of its names, for example `store about`. */
interface Leaf {
  readonly name: string
  readonly command: Command
}

function leavesOf(command: Command, name = ''): Leaf[] {
  if (command.commands.length === 0) return [{ name, command }]
  return command.commands.flatMap((inner) => leavesOf(inner as Command, `${name} ${inner.name()}`.trim()))
}

const LEAVES = leavesOf(programFor({} as never, () => {})).filter(({ name }) => name !== 'help')

/** A command line, with `SECRET` in place of a secret and `SECRET_FILE` in place of a file that contains one. */
type Line = readonly string[]

/** Returns lines with a secret in place of each argument and as the value of each option. */
function linesOf({ name, command }: Leaf): Line[] {
  const words = (LINES[name] ?? '').split(' ').filter(Boolean)
  const given = command.registeredArguments.map((_, at) => at)
  const forms = ['SECRET', 'SECRET_FILE']
  const ofArguments = given.flatMap((at) =>
    forms.map((form) => words.with(Math.min(at, words.length - 1), form)),
  )
  const ofOptions = command.options.flatMap(({ long, flags }) => {
    if (!flags.includes('<') || NAMES.includes(long as string)) return []
    return forms.slice(0, flags.includes('<file>') ? 2 : 1).map((form) => [...words, long as string, form])
  })
  const unknown = [...words, '--SECRET']
  return [...ofArguments, ...ofOptions, unknown].map((line) => [...name.split(' '), ...line])
}

describe('a command of the CLI', () => {
  const home = process.cwd()
  afterEach(() => process.chdir(home))

  it('has a command line in the list that this file tries with secrets', () => {
    expect(Object.keys(LINES).sort()).toEqual(LEAVES.map(({ name }) => name).sort())
  })

  it.each(LEAVES)('prints no secret that an argument or a file contains: $name', async (leaf) => {
    const { at, write, sealed, cwd } = await signer()
    process.chdir(cwd)
    await write('data.txt', 'a\nb\nc\n')
    const { a } = await sealed()
    await write('messages.ndjson', a)
    await write('trust.json', '{"signers":[]}')
    const found: unknown[] = []
    for (const [form, secret] of Object.entries(SECRET_TEXTS)) {
      const file = await write('with-secret', secret)
      for (const line of linesOf(leaf)) {
        // No argument is read as JSON.
        if (form.includes('JSON') && !line.includes('SECRET_FILE')) continue
        const full = line.map((word) =>
          word.replace('FOLDER', at('.')).replace('SECRET_FILE', file).replace('SECRET', secret),
        )
        const { code, out, err } = await alvarium(full)
        const shown = secretIn(code === 0 ? err : out + err)
        if (shown !== undefined) found.push([form, line.join(' '), shown])
      }
    }
    expect(found).toEqual([])
  })
})
