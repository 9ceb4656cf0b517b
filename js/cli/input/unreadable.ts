import { AlvariumError, textOf } from '../../base/errors.js'

/** A file that nothing can be said of: it is a line of the report, and ends nothing. */
export class Unreadable extends AlvariumError {
  /** @param path - what people call it */
  constructor(
    readonly path: string,
    readonly expected: string,
    readonly got: string,
  ) {
    super('CONFIG_INVALID', `${path}: expected ${expected}, got ${got}`)
  }
}

/** What the file system says, without the call and the path that it failed in. */
export function unreadable(path: string, error: unknown): Unreadable {
  return new Unreadable(
    path,
    'a file or folder that can be read',
    textOf(error).replace(/, \w+( '.*')?$/s, ''),
  )
}
