// Runs the independent verifier, tests/independent/verify.py, as a process that answers line by line.

import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { pythonWithCryptography } from '../running/python.mjs'

const VERIFIER = fileURLToPath(new URL('../independent/verify.py', import.meta.url))

/** @param {readonly string[]} keys public keys in hexadecimal */
export function askPython(keys) {
  const python = spawn(pythonWithCryptography(), ['-B', '-u', VERIFIER, ...keys], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const lines = createInterface(python.stdout)[Symbol.asyncIterator]()
  return {
    /** Returns its verdict on each question. @param {readonly object[]} questions */
    async verdicts(questions) {
      python.stdin.write(questions.map((one) => `${JSON.stringify(one)}\n`).join(''))
      const verdicts = []
      while (verdicts.length < questions.length) {
        const { value, done } = await lines.next()
        if (done) throw new Error('the verifier in Python has ended')
        verdicts.push(JSON.parse(value))
      }
      return verdicts
    },
    close: async () => void python.stdin.end(),
  }
}
