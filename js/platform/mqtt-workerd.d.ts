import type mqtt from 'mqtt'

/** mqtt.js without what only other platforms need, which js/build/bundles.mjs puts together. */
declare const client: Pick<typeof mqtt, 'connect'>
export default client
