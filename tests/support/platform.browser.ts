import type { TestPlatform } from './platform.js'

export const platform: TestPlatform = {
  name: 'browser',
  hostName: location.hostname,
  addresses: ['url'],
  schemes: 'wss://, ws://',
  // Browsers give pages no reason, so that they cannot scan ports.
  refusal: 'WebSocket error',
  notFound: 'WebSocket error',
}
