import { ignoreRejection } from '../base/promises.js'
import type { Acceptance } from './stream.js'

/**
 * What a stream has answered to a message that it has taken responsibility for, and that is still on its way; nothing when it
 * has answered something else.
 *
 * A promise that is there already may reject before anybody asks for it, which must not end the process. A getter is
 * left alone: most of them make the promise when they are asked for it.
 */
export function acceptanceOf(answer: unknown): Acceptance | undefined {
  if (typeof answer !== 'object' || answer === null || !('delivered' in answer)) return undefined
  ignoreRejection(Object.getOwnPropertyDescriptor(answer, 'delivered')?.value)
  return answer as Acceptance
}
