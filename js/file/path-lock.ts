import { AlvariumError } from '../base/errors.js'

/** The files that streams of this process have open, by their real paths. */
const open = new Set<string>()

/** Keeps a second stream of the process away from a file: it would take back, and rename, what the first has written. */
export class PathLock {
  readonly #path: string

  private constructor(path: string) {
    this.#path = path
  }

  /** @throws AlvariumError `STORE_LOCKED` when a stream has it */
  static of(path: string): PathLock {
    if (open.has(path)) {
      const text = `file: expected a path of its own for each stream, got one that another has open: ${path}; give both SDKs files of their own`
      throw new AlvariumError('STORE_LOCKED', text)
    }
    open.add(path)
    return new PathLock(path)
  }

  release(): void {
    open.delete(this.#path)
  }
}
