import { roundTrip } from './round-trip.mjs'

const url = '/worker.js'
/** What a page can give; `policy` as one with Trusted Types does. */
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
