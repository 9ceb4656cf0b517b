import { hostname } from 'node:os'

/** What tests have to know of where they run. */
export interface TestPlatform {
  readonly name: 'node' | 'browser'
  /** What bundles say of the host unless told otherwise. */
  readonly hostName: string
  /** The ways to a broker that there are here. */
  readonly addresses: readonly ('url' | 'tcpUrl')[]
  /** The URL schemes that error messages offer. */
  readonly schemes: string
  /** What errors say of a connection that was refused. */
  readonly refusal: string
  /** What errors say of a web server that is no broker. */
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
