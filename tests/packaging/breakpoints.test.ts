import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { SourceMap } from 'node:module'
import type { AddressInfo } from 'node:net'
import { basename, dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, expect, inject, it } from 'vitest'
import { WebSocket } from 'ws'
import { launch } from '../browsers/launch.mjs'

const { folder } = inject('packed')
const installation = join(folder, 'node_modules/alvarium-sdk')
/** The first statement of `openSdk`, in the source. */
const STATEMENT = 'const settings = readSdkOptions(options)'
const SOURCE = 'js/sdk/instance/open.ts'
const lines = readFileSync(join(installation, SOURCE), 'utf8').split('\n')

/** Client of the Chrome DevTools Protocol, which the debuggers of VS Code and Chromium use. */
interface Debuggee {
  send(method: string, parameters?: object): Promise<unknown>
  onPause(listener: (pause: Pause) => void): void
}

interface Place {
  readonly lineNumber: number
  readonly columnNumber: number
}

interface Pause {
  readonly hitBreakpoints?: readonly string[]
  readonly callFrames: readonly { readonly functionName: string; readonly location: Place }[]
}

const cleanups: (() => unknown)[] = []
afterAll(async () => {
  for (const end of cleanups) await end()
})

it('a breakpoint on a line of TypeScript stops Node at that line', async () => {
  const program = "import { openSdk } from 'alvarium-sdk'\nopenSdk({}).catch(() => {})\n"
  const args = ['--inspect-brk=127.0.0.1:0', '--input-type=module', '--eval', program]
  const child = spawn('node', args, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] })
  cleanups.push(() => child.kill())
  const debuggee = await connect(await inspectorOf(child))
  const run = () => debuggee.send('Runtime.runIfWaitingForDebugger')
  expect(await stop(debuggee, 'dist/index.js', run)).toEqual({
    functionName: 'openSdk',
    source: SOURCE,
    line: STATEMENT,
  })
})

it('a breakpoint on a line of TypeScript stops a page in Chromium at that line', async () => {
  const server = createServer(({ url = '/' }, response) => {
    const isScript = url.endsWith('.js')
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html')
    response.end(isScript ? readFileSync(join(installation, 'dist/browser', basename(url))) : '<p>')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const browser = await launch('chromium')
  cleanups.push(() => browser.close().then(() => server.close()))
  const page = await browser.newPage()
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  const session = await page.createCDPSession()
  const debuggee: Debuggee = {
    send: (method, parameters) => session.send(method as 'Debugger.enable', parameters as never),
    onPause: (listener) => session.on('Debugger.paused', listener as never),
  }
  const text = "import('/default.js').then(({ openSdk }) => openSdk({})).catch(() => {})"
  const stopped = stop(debuggee, 'dist/browser/default.js', () => page.addScriptTag({ content: text }))
  expect(await stopped).toMatchObject({ source: SOURCE, line: STATEMENT })
})

/** Sets a breakpoint on the statement by the source map of a file. Returns where the program stops, by the same map. */
async function stop(debuggee: Debuggee, file: string, run: () => Promise<unknown>) {
  const code = readFileSync(join(installation, file), 'utf8')
  const map = new SourceMap(JSON.parse(readFileSync(join(installation, `${file}.map`), 'utf8')))
  const stopped = new Promise<Pause>((resolve) => {
    debuggee.onPause((pause) => {
      if (pause.hitBreakpoints?.length) resolve(pause)
      else debuggee.send('Debugger.resume')
    })
  })
  await debuggee.send('Debugger.enable')
  const urlRegex = `/${basename(dirname(file))}/${basename(file)}$|//[^/]+/${basename(file)}$`
  await debuggee.send('Debugger.setBreakpointByUrl', { urlRegex, ...placeOf(code, map) })
  await run()
  const [frame] = (await stopped).callFrames
  const { lineNumber, columnNumber } = frame?.location ?? { lineNumber: 0, columnNumber: 0 }
  const { path, line } = origin(map, lineNumber, columnNumber)
  const source = join(dirname(file), path)
  return { functionName: frame?.functionName, source, line: lines[line]?.trim() }
}

/** Finds the first character that the map assigns to the statement. */
function placeOf(code: string, map: SourceMap): Place {
  const wanted = lines.findIndex((line) => line.trim() === STATEMENT)
  for (const [lineNumber, text] of code.split('\n').entries()) {
    for (let columnNumber = 0; columnNumber < text.length; columnNumber++) {
      const { path, line } = origin(map, lineNumber, columnNumber)
      if (line === wanted && path.endsWith(SOURCE)) return { lineNumber, columnNumber }
    }
  }
  throw new Error(`expected code of ${SOURCE}:${wanted + 1}, got none`)
}

function origin(map: SourceMap, lineNumber: number, columnNumber: number) {
  const entry = map.findEntry(lineNumber, columnNumber)
  if (!('originalSource' in entry)) return { path: '', line: -1 }
  return { path: entry.originalSource, line: entry.originalLine }
}

/** Reads the inspector's address, which Node prints when it starts. */
async function inspectorOf({ stderr }: ChildProcess): Promise<string> {
  if (!stderr) throw new Error('expected the output of Node, got none')
  for await (const line of createInterface(stderr)) {
    const url = /ws:\S+/.exec(line)
    if (url) return url[0]
  }
  throw new Error('expected the address of the inspector, got the end of the output')
}

async function connect(url: string): Promise<Debuggee> {
  const socket = new WebSocket(url)
  const answers = new Map<number, (result: unknown) => void>()
  const listeners: ((pause: Pause) => void)[] = []
  socket.on('message', (data) => {
    const { id, method, params, result } = JSON.parse(String(data))
    answers.get(id)?.(result)
    if (method === 'Debugger.paused') for (const listener of listeners) listener(params)
  })
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
  let last = 0
  return {
    send(method, params = {}) {
      socket.send(JSON.stringify({ id: ++last, method, params }))
      return new Promise((resolve) => answers.set(last, resolve))
    },
    onPause: (listener) => listeners.push(listener),
  }
}
