import { hasWorkers } from '#workers'
import { expected, needs, textOf } from '../../foundation/base/errors.js'
import type { WorkerOrigin } from '../../foundation/platform/workers.js'
import type { PoolSettings } from './options.js'
import type { Scheduler } from './scheduler.js'

/**
 * Starts workers from the URL or function in the option `worker`. By default, tries the worker's file first, and then
 * a copy of its source code that the package contains as a string.
 *
 * @throws AlvariumError `CORE_UNAVAILABLE` if the runtime cannot start workers, or if each attempt failed
 */
export async function startFrom(
  given: PoolSettings['worker'],
  open: (from: WorkerOrigin) => Scheduler,
): Promise<Scheduler> {
  if (typeof given !== 'function' && !hasWorkers()) {
    const requirement =
      'a runtime that starts workers: in the edge, service workers and shared workers, leave the pool out'
    throw needs('pool', requirement, 'CORE_UNAVAILABLE')
  }
  if (given !== undefined) {
    return attempt(fromGiven(given), open).catch((cause) => {
      const expectation = 'alvarium-sdk/pool/worker of this version'
      throw expected('CORE_UNAVAILABLE', 'pool.worker', expectation, undefined, cause)
    })
  }
  try {
    return await attempt('beside', open)
  } catch (missing) {
    // Load the source code only now, because most applications never need it.
    const { source } = await import('./worker-source.js')
    return attempt({ source }, open).catch((cause) => {
      const got = `${inBoth(missing, cause)}${ADVICE}`
      throw expected('CORE_UNAVAILABLE', 'pool', 'workers to start', got, cause)
    })
  }
}

const ADVICE =
  '. In Node, --permission needs --allow-worker too. Elsewhere, give pool({ worker }) the URL of alvarium-sdk/pool/worker, or a function that starts a worker on it; a ' +
  "Content-Security-Policy needs worker-src 'self' and 'wasm-unsafe-eval'"

function inBoth(missing: unknown, cause: unknown): string {
  return `${textOf(missing)} (from the file next to this module), ${textOf(cause)} (from its source code in the package)`
}

function fromGiven(given: NonNullable<PoolSettings['worker']>): WorkerOrigin {
  if (typeof given === 'function') return { make: given }
  return { url: typeof given === 'string' ? given : given.href }
}

async function attempt(from: WorkerOrigin, open: (from: WorkerOrigin) => Scheduler): Promise<Scheduler> {
  const opened = open(from)
  try {
    await opened.start()
    return opened
  } catch (error) {
    opened.abandon()
    throw error
  }
}
