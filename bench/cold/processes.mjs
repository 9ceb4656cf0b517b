import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

/**
 * Cold processes of a runtime: from their start until they have ended.
 *
 * @param {string} folder where packages are
 * @param {string} program
 * @param {string[]} [args]
 * @param {Record<string, string>} [env]
 */
export function inProcess(folder, program, args = [], env = {}) {
  return {
    async started(code) {
      const said = `import process from 'node:process'\n${code}\nconst { user, system } = process.cpuUsage()\nconsole.log((user + system) / 1000)`
      // A name for each, as compile caches have them by their names.
      const file = join(folder, `start-${code.length}.mjs`)
      await writeFile(file, said)
      const since = performance.now()
      const { stdout } = await promisify(execFile)(program, [...args, file], {
        cwd: folder,
        env: { ...process.env, ...env },
      })
      return { clock: performance.now() - since, cpu: Number(stdout) }
    },
    close: async () => {},
  }
}
