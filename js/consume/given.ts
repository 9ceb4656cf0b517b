import type { IdentifiedClassic } from '../classic/received.js'
import { verified as seen, verifiedClassic as seenClassic } from '../diagnostics/channels.js'
import type { Arrival } from '../streams/mqtt/inbox.js'
import type { VerifiedBundle } from '../verify/options.js'
import type { Settlement } from './parcel.js'
import type { ReceivedBundle, ReceivedClassic } from './received.js'

/** What a loop is given of a message. */
export type Content = VerifiedBundle | IdentifiedClassic

/** The same in a loop's hands. */
export type Given = (ReceivedBundle | ReceivedClassic) & Settlement

/** Says on its channel what is about to be given. */
export function say({ topic, message }: Arrival, content: Content): void {
  if (!('dialect' in content)) {
    if (seen.hasSubscribers) seen.publish({ topic, message, bundle: content })
  } else if (seenClassic.hasSubscribers) {
    const { id, action, dialect } = content
    seenClassic.publish({ topic, message, id, action, dialect })
  }
}

/** The content with where it came from, and the two ways in which it is done with. */
export function received(
  settlement: Settlement,
  content: Content,
  { topic, message, retain, dup }: Arrival,
  index: number,
): Given {
  const format = 'dialect' in content ? 'classic' : 'bundle'
  const given = { format, topic, message, index, retain, dup }
  return Object.assign(settlement, content, given) as Given
}
