import type mqtt from 'mqtt'

/** mqtt.js without what only Node needs, which js/build/bundles.mjs puts together. */
declare const client: Pick<typeof mqtt, 'connect'>
export default client
