import { createRequire } from 'node:module'
import { availableParallelism, cpus, loadavg } from 'node:os'

const { version } = createRequire(import.meta.url)('alvarium-sdk/package.json')

export function machine() {
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    platform: `${process.platform} ${process.arch}`,
    node: process.version,
    package: version,
    load: Number(loadavg()[0]?.toFixed(2)),
    date: new Date().toISOString(),
  }
}

/** @param {ReturnType<typeof machine>} facts */
export function machineText({ cpu, cores, platform, node, load, date, package: own }) {
  return `${cpu}, ${cores} cores (load ${load}), ${platform}, Node ${node}, alvarium-sdk ${own}, ${date}`
}
