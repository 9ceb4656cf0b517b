import { devDependencies, version } from '../../../../package.json'
import type { Surroundings } from '../../race.ts'
import { clockStepMs } from './slice.ts'

export function surroundings(): Surroundings {
  return {
    userAgent: navigator.userAgent,
    cores: navigator.hardwareConcurrency,
    clockStepMs: clockStepMs(),
    isCrossOriginIsolated: globalThis.crossOriginIsolated,
    versions: {
      'alvarium-sdk': version,
      '@noble/ed25519': devDependencies['@noble/ed25519'],
      '@noble/hashes': devDependencies['@noble/hashes'],
    },
  }
}
