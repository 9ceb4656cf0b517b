import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/**
 * Builds a program of a folder here. This project's set-up does not install Go, and Go's modules come from a proxy. On
 * a machine without one of them, it prints what is not tested.
 *
 * @param folder - its name
 * @param program - path of the program
 * @param tested - name of the tests that need it
 * @param source - the Go package; a tool of the folder's `go.mod` by its name. Default: the folder itself
 * @returns whether the program exists
 */
export function isBuilt(folder: string, program: string, tested: string, source = '.'): boolean {
  const { error, status, stderr } = spawnSync('go', ['build', '-o', program, source], {
    cwd: fileURLToPath(new URL(folder, import.meta.url)),
    encoding: 'utf8',
    timeout: 300_000,
  })
  if (status === 0) return true
  console.warn(`not tested: ${tested}. ${error ? `There is no go: ${error.message}` : stderr}`)
  return false
}
