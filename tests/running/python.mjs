// A Python that has the package `cryptography`, for the verifier in tests/independent.

import { spawnSync } from 'node:child_process'

/** Commands to try. The first python on PATH may not be Debian's, which has Debian's packages. */
const COMMANDS = ['python3', '/usr/bin/python3']

export const hasCryptography = () => COMMANDS.some(canImport)

/** Returns the command of such a Python, or throws an error that names the packages to install. */
export function pythonWithCryptography() {
  const command = COMMANDS.find(canImport)
  if (command !== undefined) return command
  throw new Error('expected a python3 that can import cryptography: please install python3-cryptography')
}

/** @param {string} command */
function canImport(command) {
  return spawnSync(command, ['-c', 'import cryptography'], { stdio: 'ignore' }).status === 0
}
