import { roundTrip } from './round-trip.mjs'

const url = '/worker.js'
/** Options that a page can pass; `policy` is for a page with Trusted Types. */
const given = {
  '': {},
  url: { worker: url },
  policy: {
    worker: () =>
      new Worker(
        globalThis.trustedTypes
          .createPolicy('app', { createScriptURL: (trusted) => trusted })
          .createScriptURL(url),
      ),
  },
}
document.querySelector('output').textContent = await roundTrip(given[location.search.slice(1)])
