/** Broker and topic of this page, which do not change while the page is open. */
import type { Place } from '../protocol.ts'

const NAME = 'alvarium-demo-topic'

/** True if there is a broker; false in the serverless build, in which workers exchange messages directly. */
export const hasBroker = __TRANSPORT__ === 'broker'

/** Broker and topic. The broker is `?broker=` in the page's URL, or the default of the build or server. */
export const place: Place = {
  url: new URLSearchParams(location.search).get('broker') ?? configured(),
  topic: `alvarium-demo/${keptId()}`,
}

function configured(): string {
  return document.querySelector<HTMLMetaElement>('meta[name="alvarium-broker"]')?.content ?? ''
}

/** Returns an id of this browser that outlasts the page, or of this page if there is no storage. */
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
