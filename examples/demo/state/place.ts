/** Destination of messages, fixed for the life of the page. */
import type { Place } from '../protocol.ts'

const NAME = 'alvarium-demo-topic'

/** True if there is a broker; false in the serverless build, whose workers exchange messages directly. */
export const hasBroker = __TRANSPORT__ === 'broker'

/** Broker and topic. The broker is the address's `?broker=`, or the default of the build or server. */
export const place: Place = {
  url: new URLSearchParams(location.search).get('broker') ?? configured(),
  topic: `alvarium-demo/${keptId()}`,
}

function configured(): string {
  return document.querySelector<HTMLMetaElement>('meta[name="alvarium-broker"]')?.content ?? ''
}

/** Returns an id for all tabs of this browser, and for the next visit; without storage, for this page only. */
function keptId(): string {
  const id = randomId()
  try {
    const kept = localStorage.getItem(NAME) ?? id
    localStorage.setItem(NAME, kept)
    return kept
  } catch {
    return id
  }
}

/** Returns a random id. `randomUUID()` exists only in secure contexts. */
function randomId(): string {
  return crypto.getRandomValues(new Uint32Array(2)).join('-')
}
