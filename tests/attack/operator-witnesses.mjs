// Three witnesses, each behind its own server. One of them lies: it signs anything, signs something else, or does not
// answer.

import { createServer } from 'node:http'
import { generateKey } from 'alvarium-sdk'
import { openWitness } from 'alvarium-sdk/witness'
import { NoteSigner } from '../witness/logs.mjs'
import { virtualClock } from './virtual-clock.mjs'

const DAY = 86_400

/** Kinds of lies, all equally frequent. The liar keeps no state. */
const LIES = {
  signs: (text, { liar }) => liar.line(text, now()),
  backdates: (text, { liar }) => liar.line(text, now() - DAY),
  postdates: (text, { liar }) => liar.line(text, now() + DAY),
  'signs another log': (text, { liar }) => liar.line(text.replace(/\n\d+\n/, '\n7\n'), now()),
  'signs by another key': (text, { stranger }) => stranger.line(text, now()),
  'sends noise': (_text, { random }) => Buffer.from(random.bytes(64)).toString('base64'),
  'says that it forked': () => 422,
  fails: () => 503,
  stalls: () => undefined,
}

const now = () => Math.floor(virtualClock.now / 1000)

/**
 * Starts the witnesses for the logs and signers of a round.
 *
 * @param {import('./random.mjs').Random} random
 * @param {{ logs: string[], signers: Uint8Array[] }} watched
 */
export async function openWitnesses(random, watched) {
  const counts = {}
  const liar = new NoteSigner('witness.example/liar', 4)
  const stranger = new NoteSigner(liar.name, 4)
  const lie = (body) => {
    const kind = random.pick(Object.keys(LIES))
    counts[kind] = (counts[kind] ?? 0) + 1
    const note = body.slice(body.indexOf('\n\n') + 2)
    return LIES[kind](note.slice(0, note.lastIndexOf('\n\n') + 1), { liar, stranger, random })
  }
  const servers = [await serve(lie, liar.vkey)]
  for (const name of ['witness.example/w1', 'witness.example/w2']) servers.push(await honest(name, watched))
  return {
    liar,
    counts,
    witnesses: servers.map(({ url, vkey }) => ({ url, vkey })),
    close: () => Promise.all(servers.map(({ close }) => close())),
  }
}

async function honest(name, watched) {
  const signed = new Map()
  const state = {
    read: async (origin) => signed.get(origin),
    write: async (next) => void signed.set(next.origin, next),
  }
  const witness = await openWitness({ name, signingKey: generateKey().signingKey, ...watched, state })
  return serve((body) => witness.addCheckpoint(body), witness.vkey)
}

/** @param answer - returns a line, a status, a reply of a witness, or undefined for no answer */
async function serve(answer, vkey) {
  const server = createServer(async (request, response) => {
    const chunks = []
    for await (const chunk of request) chunks.push(chunk)
    const told = await answer(Buffer.concat(chunks).toString())
    if (told === undefined) return void request.socket.destroy()
    const {
      status,
      type = 'text/plain',
      body,
    } = typeof told === 'object'
      ? told
      : typeof told === 'number'
        ? { status: told }
        : { status: 200, body: told }
    response.writeHead(status, { 'Content-Type': type }).end(body)
  })
  // On a busy machine, the default timeout would close a connection that is about to be reused.
  server.keepAliveTimeout = 3_600_000
  server.listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const close = () => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(resolve))
  }
  return { url: `http://127.0.0.1:${server.address().port}`, vkey, close }
}
