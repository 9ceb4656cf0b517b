import { vi } from 'vitest'
import { HANGS_MS } from './limits.js'

// Vitest runs this before each file of tests. `expect.poll` has a setting for it; `vi.waitFor` would give up after a second,
// which is not long for a busy machine.
const { waitFor, waitUntil } = vi
vi.waitFor = (callback, options) => waitFor(callback, patient(options))
vi.waitUntil = (callback, options) => waitUntil(callback, patient(options))

function patient(options: Parameters<typeof waitFor>[1] = {}) {
  return typeof options === 'number' ? { timeout: options } : { timeout: HANGS_MS, interval: 5, ...options }
}
