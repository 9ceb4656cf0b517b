import { hostname } from 'node:os'

/** Properties of the platform on which the tests run. */
export interface TestPlatform {
  readonly name: 'node' | 'browser'
  /** Default host name in bundles. */
  readonly hostName: string
  /** Addresses of a broker that this platform can use. */
  readonly addresses: readonly ('url' | 'tcpUrl')[]
  /** URL schemes that error messages offer. */
  readonly schemes: string
  /** Text of the error after a refused connection. */
  readonly refusal: string
  /** Text of the error if a web server is no broker. */
  readonly notFound: string
}

export const platform: TestPlatform = {
  name: 'node',
  hostName: hostname(),
  addresses: ['url', 'tcpUrl'],
  schemes: 'wss://, ws://, mqtts://, mqtt://',
  refusal: 'ECONNREFUSED',
  notFound: '404',
}
