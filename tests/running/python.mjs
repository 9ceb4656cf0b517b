// A Python that has the package `cryptography`, for the verifier in tests/independent.

import { spawnSync } from 'node:child_process'

/** The first on PATH need not be Debian's, to which Debian's packages belong. */
const COMMANDS = ['python3', '/usr/bin/python3']

/** Whether one is there. */
export const hasCryptography = () => COMMANDS.some(canImport)

/** The command of one, or an error that says what to install. */
export function pythonWithCryptography() {
  const command = COMMANDS.find(canImport)
  if (command !== undefined) return command
  throw new Error('expected a python3 that can import cryptography: please install python3-cryptography')
}

/** @param {string} command */
function canImport(command) {
  return spawnSync(command, ['-c', 'import cryptography'], { stdio: 'ignore' }).status === 0
}
