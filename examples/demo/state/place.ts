/** Where messages go: fixed for the life of the page. */
import type { Place } from '../protocol.ts'

const NAME = 'alvarium-demo-topic'

/** Whether there is a broker, or the page's workers talk to each other (the serverless build). */
export const hasBroker = __TRANSPORT__ === 'broker'

/** The broker: the address's `?broker=`, or what the page was built or served with. */
export const place: Place = {
  url: new URLSearchParams(location.search).get('broker') ?? configured(),
  topic: `alvarium-demo/${keptId()}`,
}

function configured(): string {
  return document.querySelector<HTMLMetaElement>('meta[name="alvarium-broker"]')?.content ?? ''
}

/** One for all tabs of this browser, and for the next visit; where nothing may be stored, one for this page. */
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

/** Not `randomUUID()`, which only secure contexts have. */
function randomId(): string {
  return crypto.getRandomValues(new Uint32Array(2)).join('-')
}
