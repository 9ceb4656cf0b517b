import { needs } from '../errors.js'

/**
 * Fills an array with random numbers from the platform's cryptographic generator, and returns it.
 *
 * @throws AlvariumError `CORE_UNAVAILABLE` in runtimes such as Node 18, where programs must import the generator
 */
export function randomFill<T extends Uint8Array<ArrayBuffer> | Uint32Array<ArrayBuffer>>(array: T): T {
  if (globalThis.crypto) return crypto.getRandomValues(array)
  const { process } = globalThis as { process?: { version?: string } }
  const place = process?.version ? `Node ${process.version.slice(1)}` : 'another runtime'
  throw needs(
    'crypto',
    `crypto.getRandomValues: use Node 20.19 or later (this is ${place})`,
    'CORE_UNAVAILABLE',
  )
}
