import type { LeasedKeys } from './lease-verifier.js'

/** How many sets of leases are kept: the next message often comes with the same leases. */
const KEPT = 16

/** The last sets of leases that were verified. */
export class KeptLeases {
  readonly #open: (leases: readonly Uint8Array[]) => Promise<LeasedKeys>
  /** By their bytes, the one that was used last at the end. */
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

  /** Gives the core's memory back. */
  close(): void {
    for (const name of this.#kept.keys()) this.#forget(name)
  }

  /** A call under way has its keys made once more. */
  #forget(name: string): void {
    const opened = this.#kept.get(name)
    this.#kept.delete(name)
    opened?.then(({ keyring }) => keyring.close()).catch(() => undefined)
  }
}

/** Each by its length and its bytes, as characters: two sets of leases never have the same name. */
function nameOf(leases: readonly Uint8Array[]): string {
  const decoder = new TextDecoder('latin1')
  return leases.map((lease) => `${lease.length}:${decoder.decode(lease)}`).join('')
}
