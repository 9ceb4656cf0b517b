import type { TestPlatform } from './platform.js'

export const platform: TestPlatform = {
  name: 'browser',
  hostName: location.hostname,
  addresses: ['url'],
  schemes: 'wss://, ws://',
  // Browsers tell pages no reason, lest they scan ports.
  refusal: 'WebSocket error',
  notFound: 'WebSocket error',
}
