// Starts nats-server with JetStream on a free port. JetStream stores its data in the caller's folder.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

/**
 * @param {string} folder
 * @returns {Promise<{ url: string, stop(): Promise<void> }>}
 * @throws {Error} if nats-server is not installed, or does not start
 */
export async function startNats(folder) {
  const server = spawn('nats-server', ['-a', '127.0.0.1', '-p', '-1', '-js', '-sd', folder])
  await once(server, 'spawn')
  let port
  for await (const line of createInterface({ input: server.stderr })) {
    port ??= /client connections on 127\.0\.0\.1:(\d+)/.exec(line)?.[1]
    if (/Server is ready/.test(line)) break
  }
  if (port === undefined) throw new Error('nats-server: expected it to listen, got an end')
  server.stderr.resume()
  const stop = async () => {
    server.kill()
    await once(server, 'exit')
  }
  return { url: `nats://127.0.0.1:${port}`, stop }
}
