/** Capacity in bytes for waiting checkpoints: of one signer, within the capacity of all. */
export class Room {
  readonly #most: number
  readonly #all: Room | undefined
  #taken = 0

  constructor(most: number, all?: Room) {
    this.#most = most
    this.#all = all
  }

  /** Reserves bytes. Returns whether there was capacity. */
  take(bytes: number): boolean {
    if (this.#taken + bytes > this.#most || this.#all?.take(bytes) === false) return false
    this.#taken += bytes
    return true
  }

  leave(bytes: number): void {
    this.#taken -= bytes
    this.#all?.leave(bytes)
  }

  leaveAll(): void {
    this.leave(this.#taken)
  }
}
