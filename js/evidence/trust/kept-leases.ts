import type { LeasedKeys } from './lease-verifier.js'

/** Number of sets of leases that are remembered: the next message often comes with the same leases. */
const KEPT = 16

/** Sets of leases that were verified last. */
export class KeptLeases {
  readonly #open: (leases: readonly Uint8Array[]) => Promise<LeasedKeys>
  /** Sets by their bytes, the last used one at the end. */
  readonly #kept = new Map<string, Promise<LeasedKeys>>()

  /** @param open - verifies a set */
  constructor(open: (leases: readonly Uint8Array[]) => Promise<LeasedKeys>) {
    this.#open = open
  }

  async of(leases: readonly Uint8Array[]): Promise<LeasedKeys> {
    const name = nameOf(leases)
    const opened = this.#kept.get(name) ?? this.#open(leases)
    this.#kept.delete(name)
    this.#kept.set(name, opened)
    const [oldest] = this.#kept.keys()
    if (this.#kept.size > KEPT && oldest !== undefined) this.#forget(oldest)
    try {
      return await opened
    } catch (error) {
      this.#kept.delete(name)
      throw error
    }
  }

  /** Frees the memory of the core. */
  close(): void {
    for (const name of this.#kept.keys()) this.#forget(name)
  }

  /** Drops a set of leases and closes its keyring. A call in progress makes its keys once more. */
  #forget(name: string): void {
    const opened = this.#kept.get(name)
    this.#kept.delete(name)
    opened?.then(({ keyring }) => keyring.close()).catch(() => undefined)
  }
}

/** Returns a map key without collisions: each lease as its length and its bytes in Latin-1. */
function nameOf(leases: readonly Uint8Array[]): string {
  const decoder = new TextDecoder('latin1')
  return leases.map((lease) => `${lease.length}:${decoder.decode(lease)}`).join('')
}
