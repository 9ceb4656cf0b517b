import { ignoreRejection } from '../base/time/promises.js'
import type { Progress, SourceOptions } from '../model/payload.js'

/** Says how far it came. A payload is not lost because somebody's counter was not there. */
export function tell(onProgress: SourceOptions['onProgress'], progress: Progress): void {
  try {
    ignoreRejection(onProgress?.(progress))
  } catch {
    // It is the caller's own.
  }
}
