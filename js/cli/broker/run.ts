import { once } from 'node:events'
import { textOf } from '../../base/errors.js'
import { invalid } from '../fault.js'
import { EXIT, type Run } from '../session.js'
import { dim, green, shown } from '../terminal/shown.js'
import { type Broker, startBroker } from './broker.js'

/** What `alvarium broker` can be asked for. */
interface BrokerPorts {
  readonly port: number
  readonly tcpPort: number
}

export const run: Run<BrokerPorts> = async (_, ports, { out, err, interrupted }) => {
  const broker = await started(ports)
  try {
    await out.line(shown`${green('✓')} ${broker.url}  ${broker.tcpUrl}`)
    await err.line(dim('everybody on this machine is let in, nothing is kept; Ctrl-C ends it'))
    if (!interrupted.aborted) await once(interrupted, 'abort')
  } finally {
    await broker.close()
  }
  return EXIT.yes
}

async function started(ports: BrokerPorts): Promise<Broker> {
  try {
    return await startBroker(ports)
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (code === 'EADDRINUSE') throw invalid('--port', 'a port that nobody listens on', textOf(error))
    if (code !== 'ERR_MODULE_NOT_FOUND') throw error
    const got = 'none: npm install aedes, or npx -p alvarium-sdk -p aedes alvarium broker'
    throw invalid('broker', 'the package aedes beside alvarium-sdk', got)
  }
}
