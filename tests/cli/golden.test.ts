import { spawn } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as textOf } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { generateKey, memory, openSdk, source, toHex } from 'alvarium-sdk'
import { expect, it, onTestFinished } from 'vitest'
import { alvarium, COMMAND, type Ran } from './command.js'
import { signer, text } from './messages.js'

/** Each command that reads standard input. */
const COMMANDS = [
  'annotate -k KEY',
  'annotate -f csv -k KEY',
  'verify -k PUBLIC',
  'verify --json -k PUBLIC',
  'score -k PUBLIC',
  'lineage ABCD -k PUBLIC',
  'inspect',
]

/** A faulty situation: its name, its keys, and its input. */
type Way = readonly [what: string, key: string, publicKey: string, input: (message: string) => string]

const INPUTS: readonly Way[] = [
  ['no input', 'private.key', 'public.key', () => ''],
  ['the wrong half of a key', 'public.key', 'private.key', (message) => message],
  ["no key, or somebody else's", 'none.key', 'other.key', (message) => message],
  ['a line of 1 MB', 'private.key', 'public.key', () => 'x'.repeat(1_000_000)],
  ['a message of 1 MB', 'private.key', 'public.key', () => `{"messageType":"${'x'.repeat(1_000_000)}"}`],
]

/** States of standard output in the shell: full, or a pipe whose reader has ended. */
const OUTPUTS = [
  ['a full output', '', '> /dev/full'],
  ['a closed output', 'exec 3> >(true); wait $!; ', '>&3'],
] as const

/** Each command that uses a broker. `WEB` is a web server and no broker; no server listens on port 1. */
const WITH_BROKERS = [
  'annotate -k private.key --url ws://127.0.0.1:1 --topic t',
  'annotate -k public.key --url ws://127.0.0.1:1 --topic t',
  'annotate -k private.key --url ws://broker.example/me:secret@x --topic t',
  'annotate -k private.key --url WEB --topic t',
  'listen ws://127.0.0.1:1 t -k public.key',
  'listen ws://127.0.0.1:1 t -k private.key',
  'listen ws://127.0.0.1:1 a/#/b -k public.key',
  'listen ws://broker.example/me:secret@x t -k public.key',
  'listen WEB t -k public.key',
  'doctor ws://127.0.0.1:1',
  'doctor http://127.0.0.1:1',
  'doctor WEB',
  'broker --port WEB',
]

async function workshop() {
  const { cwd, signingKey, write } = await signer()
  await write('other.key', toHex(generateKey().verifyingKey))
  const stream = memory()
  const sdk = await openSdk({ signingKey, annotators: [source()], stream, host: 'edge-7' })
  await sdk.create(new Uint8Array(1))
  await sdk.close()
  return { cwd, message: text(stream.messages[0] as Uint8Array) }
}

it.skipIf(process.platform !== 'linux')(
  'each command prints the texts of golden.txt, for each kind of input',
  async () => {
    const { cwd, message } = await workshop()
    const parts: string[] = []
    for (const [what, key, publicKey, input] of INPUTS) {
      parts.push(`## ${what}`)
      for (const command of COMMANDS) {
        const line = command.replace('PUBLIC', publicKey).replace('KEY', key)
        parts.push(part(line, await alvarium(argsOf(line, cwd), { input: input(message) }), cwd))
      }
    }
    parts.push('## a broker')
    const port = await webServer()
    for (const line of WITH_BROKERS) {
      const url = line.startsWith('broker') ? `${port}` : `ws://127.0.0.1:${port}`
      const ran = await alvarium(argsOf(line.replace('WEB', url), cwd), { input: 'a payload' })
      parts.push(part(line, ran, cwd).replaceAll(`${port}`, 'PORT'))
    }
    for (const [what, before, after] of OUTPUTS) {
      parts.push(`## ${what}`)
      for (const command of COMMANDS.filter((one) => !/csv|json|lineage/.test(one))) {
        const line = command.replace('PUBLIC', 'public.key').replace('KEY', 'private.key')
        const script = `${before}exec "${process.execPath}" "${COMMAND}" ${line} ${after}`
        parts.push(part(`${line} ${after}`, await inShell(script, cwd, message), cwd))
      }
    }
    const golden = fileURLToPath(new URL('golden.txt', import.meta.url))
    await expect(`${parts.join('\n\n')}\n`).toMatchFileSnapshot(golden)
  },
)

async function webServer(): Promise<number> {
  const server = createServer((_, response) => response.writeHead(404).end())
  onTestFinished(() => void server.close())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

async function inShell(script: string, cwd: string, input: string): Promise<Ran> {
  // Bash warns about a locale that is not installed.
  const child = spawn('bash', ['-c', script], { cwd, env: { ...process.env, LC_ALL: 'C' } })
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  const said = Promise.all([textOf(child.stdout), textOf(child.stderr)])
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve))
  const [out, err] = await said
  return { out, err, code }
}

const argsOf = (line: string, cwd: string) =>
  line.split(' ').map((word) => (word.endsWith('.key') ? `${cwd}/${word}` : word))

function part(line: string, { out, err, code }: Ran, cwd: string): string {
  const said = steady(`${out}${err}`, cwd)
  return [`$ alvarium ${line}`, ...(said === '' ? [] : [said]), `(ends with ${code})`].join('\n')
}

/** Replaces the text that differs from run to run. */
const steady = (said: string, cwd: string) =>
  said
    .replaceAll(`${cwd}/`, '')
    .replaceAll('…/', '')
    .replace(/^ {4}[\da-f]{6} .*\n/gm, '')
    .replace(/[\dA-Fa-f]{32,}/g, 'HEX')
    .replace(/\b[\dA-Fa-f]{12}…/g, 'HEX…')
    .replace(/\b[\dA-Z]{26}\b/g, 'ULID')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replace(/"host":"[^"]*"/g, '"host":"HOST"')
    .replace(/annotated in .*/g, 'annotated in …')
    .trimEnd()
