/** Capacity in bytes for waiting checkpoints. A signer's bytes also count towards the capacity of all signers. */
export class Capacity {
  readonly #max: number
  readonly #all: Capacity | undefined
  #used = 0

  constructor(max: number, all?: Capacity) {
    this.#max = max
    this.#all = all
  }

  reserve(bytes: number): boolean {
    if (this.#used + bytes > this.#max || this.#all?.reserve(bytes) === false) return false
    this.#used += bytes
    return true
  }

  release(bytes: number): void {
    this.#used -= bytes
    this.#all?.release(bytes)
  }

  releaseAll(): void {
    this.release(this.#used)
  }
}
