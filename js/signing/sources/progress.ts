import { ignoreRejection } from '../../foundation/base/time/promises.js'
import type { Progress, SourceOptions } from '../../foundation/model/payload.js'

/** Calls the progress callback. Ignores its errors, because a payload must not be lost over a progress display. */
export function tell(onProgress: SourceOptions['onProgress'], progress: Progress): void {
  try {
    ignoreRejection(onProgress?.(progress))
  } catch {
    // Ignore errors of the caller's function.
  }
}
