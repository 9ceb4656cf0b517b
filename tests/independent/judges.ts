import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'
import { type BrowserName, launch } from '../browsers/launch.mjs'
import { pythonWithCryptography } from '../running/python.mjs'
import { ourVerdict, type Question } from './our-verdicts.js'

/** A source of verdicts on evidence, as canonical JSON or a code. */
export interface VerdictSource {
  readonly name: string
  verdicts(questions: readonly Question[]): Promise<readonly string[]>
  close(): Promise<void>
}

/** The package in this process. */
export const inNode: VerdictSource = {
  name: 'node',
  async verdicts(questions) {
    const verdicts: string[] = []
    for (const question of questions) verdicts.push(await ourVerdict(question))
    return verdicts
  },
  close: async () => {},
}

/** Starts the verifier in Python, as one process for all questions. */
export function inPython(): VerdictSource {
  const program = fileURLToPath(new URL('archives.py', import.meta.url))
  const python = spawn(pythonWithCryptography(), ['-B', program], { stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface(python.stdout)[Symbol.asyncIterator]()
  const next = async (): Promise<string> => {
    const { value, done } = await lines.next()
    if (done) throw new Error('the verifier in Python has ended')
    return JSON.parse(value)
  }
  return {
    name: 'python',
    async verdicts(questions) {
      python.stdin.write(questions.map((one) => `${JSON.stringify(one)}\n`).join(''))
      const verdicts: string[] = []
      while (verdicts.length < questions.length) verdicts.push(await next())
      return verdicts
    },
    close: async () => void python.stdin.end(),
  }
}

/** Starts a browser with the package in a page. @throws Error if the browser is not installed */
export async function inBrowser(name: BrowserName): Promise<VerdictSource> {
  const browser = await launch(name)
  const page = await browser.newPage()
  await page.addScriptTag({ content: await scriptOfPage() })
  return {
    name,
    verdicts: (questions) =>
      page.evaluate((some) => (globalThis as unknown as Page).verdictsOf(some), questions as Question[]),
    close: () => browser.close(),
  }
}

interface Page {
  verdictsOf(questions: readonly Question[]): Promise<string[]>
}

/** Returns the package and the page's own code as one classic script. */
async function scriptOfPage(): Promise<string> {
  const entry = fileURLToPath(new URL('verdict-page.ts', import.meta.url))
  const built = await build({
    configFile: false,
    logLevel: 'error',
    build: {
      write: false,
      minify: false,
      target: 'es2023',
      lib: { entry, formats: ['iife'], name: 'verdictPage' },
      rolldownOptions: { output: { codeSplitting: false } },
    },
  })
  const [file] = [built].flat().flatMap((one) => ('output' in one ? one.output : []))
  if (file?.type !== 'chunk') throw new Error('expected one script')
  return file.code
}
