/** Room for what waits, in bytes: of one, within that of all. */
export class Room {
  readonly #most: number
  readonly #all: Room | undefined
  #taken = 0

  constructor(most: number, all?: Room) {
    this.#most = most
    this.#all = all
  }

  /** Returns whether there was room. */
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
