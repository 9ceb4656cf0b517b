// Programs of the projects, which run to their end or until they are stopped.

import { spawn } from 'node:child_process'

/**
 * A build that exceeds this time has failed. Next.js and Angular take a minute, and five on a busy machine.
 */
const LIMIT_MS = 900_000
const RESULTS = /MATRIX (\{.*\})/
const URL_SAID = /https?:\/\/(?:localhost|127\.0\.0\.1):\d+/
const COLOURS = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, 'g')

/** Starts a program in its own process group, so that its children end with it. */
function start(program, args, cwd, env = {}) {
  const child = spawn(program, args, {
    cwd,
    env: { ...process.env, NO_COLOR: '1', CI: '1', NEXT_TELEMETRY_DISABLED: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  const said = { text: '' }
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (bytes) => {
      said.text += bytes.toString().replace(COLOURS, '')
    })
  }
  return { child, said }
}

function end({ pid }) {
  try {
    if (pid) process.kill(-pid, 'SIGKILL')
  } catch (error) {
    if (error.code !== 'ESRCH') throw error
  }
}

/**
 * Runs a command to its end.
 *
 * @returns {Promise<string>} its output
 * @throws {Error} with its output, if it fails or does not exit
 */
export async function succeed([program, ...args], cwd, env) {
  const { code, said } = await ran(program, args, cwd, env)
  if (code !== 0) throw new Error(`${[program, ...args].join(' ')} ended with ${code}:\n${said}`)
  return said
}

/** Returns the job's results from a program, which also must exit by itself. */
export async function read({ program, args }, cwd, env) {
  const { code, said } = await ran(program, args, cwd, env)
  const [, results] = said.match(RESULTS) ?? []
  if (!results) throw new Error(`it ended with ${code}, and said nothing of the job:\n${said}`)
  if (code !== 0 && isFine(results)) throw new Error(`it ended with ${code}:\n${said}`)
  return JSON.parse(results)
}

const isFine = (results) => Object.values(JSON.parse(results)).every((result) => result === 'ok')

function ran(program, args, cwd, env) {
  const { child, said } = start(program, args, cwd, env)
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      said.text += `\nit did not end within ${LIMIT_MS / 1000} s`
      end(child)
    }, LIMIT_MS)
    child.once('error', ({ message }) => {
      said.text += message
    })
    child.once('close', (code, signal) => {
      clearTimeout(timer)
      resolve({ code: signal ?? code, said: said.text })
    })
  })
}

/** Starts a server, and waits until it prints its URL. */
export async function serve({ program, args }, cwd, env) {
  const { child, said } = start(program, args, cwd, env)
  const deadline = Date.now() + LIMIT_MS
  while (!URL_SAID.test(said.text)) {
    if (child.exitCode !== null || Date.now() > deadline) {
      end(child)
      throw new Error(`it did not say where it serves:\n${said.text}`)
    }
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return { url: said.text.match(URL_SAID)?.[0], stop: async () => end(child) }
}
