import { vi } from 'vitest'
import { HANGS_MS } from './limits.js'

// Vitest runs this file before each test file. `expect.poll` has a setting for its time; `vi.waitFor` would fail
// after a second, which is too short for a busy machine.
const { waitFor, waitUntil } = vi
vi.waitFor = (callback, options) => waitFor(callback, patient(options))
vi.waitUntil = (callback, options) => waitUntil(callback, patient(options))

function patient(options: Parameters<typeof waitFor>[1] = {}) {
  return typeof options === 'number' ? { timeout: options } : { timeout: HANGS_MS, interval: 5, ...options }
}
