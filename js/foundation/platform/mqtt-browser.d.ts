import type mqtt from 'mqtt'

/** mqtt.js without the parts that need Node, assembled by js/build/bundles.mjs. */
declare const client: Pick<typeof mqtt, 'connect'>
export default client
