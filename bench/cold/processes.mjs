import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

/**
 * Measures cold processes of a runtime, from start to exit.
 *
 * @param {string} folder with the installed packages
 * @param {string} program
 * @param {string[]} [args]
 * @param {Record<string, string>} [env]
 */
export function inProcess(folder, program, args = [], env = {}) {
  return {
    async started(code) {
      const said = `import process from 'node:process'\n${code}\nconst { user, system } = process.cpuUsage()\nconsole.log((user + system) / 1000)`
      // Use one file name per program, because compile caches look files up by name.
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
