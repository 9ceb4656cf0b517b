import { urlIn } from '../../foundation/base/text/text.js'
import { invalid } from '../fault.js'
import { untilInterrupted } from '../listening.js'
import { EXIT, type Run } from '../session.js'
import { dim, green, safeText } from '../terminal/safe-text.js'
import { startBroker } from './broker.js'

interface ServeOptions {
  readonly allowOrigin?: readonly string[]
  readonly port: number
  readonly tcpPort: number
}

export const run: Run<ServeOptions> = async (_, { allowOrigin = [], port, tcpPort }, session) => {
  const { out, err } = session
  session.begin()
  const broker = await startBroker({
    port,
    tcpPort,
    allowedOrigins: allowOrigin.map(originOf),
    onTooLarge: (error) => err.line(dim(`${error.message}: the connection was closed`)),
  })
  try {
    await out.line(safeText`${green('✓')} ${broker.url}  ${broker.tcpUrl}`)
    await err.line(dim('programs and pages of this machine are let in, nothing is kept; Ctrl-C ends it'))
    await untilInterrupted(session)
  } finally {
    await broker.close()
  }
  return EXIT.yes
}

/** Returns an origin as browsers send it: without a path and without the scheme's default port. */
function originOf(text: string): string {
  const origin = urlIn(text)?.origin ?? 'null'
  if (origin !== 'null') return origin
  throw invalid('--allow-origin', 'the origin of a page, for example https://example.com', text)
}
