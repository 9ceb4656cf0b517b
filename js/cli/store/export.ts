import { toBase64 } from '../../foundation/base/bytes/base64.js'
import { EXIT, type Run } from '../session.js'
import { showProgress } from '../terminal/progress.js'
import { safeText } from '../terminal/safe-text.js'
import { countOf } from '../terminal/words.js'
import { type DatabaseOptions, storeAt } from './database.js'
import { type PayloadOptions, payloadIn } from './payload.js'

export const run: Run<DatabaseOptions & PayloadOptions> = async ([argument], options, session) => {
  const payload = argument === undefined ? undefined : await payloadIn(argument, options, session)
  session.begin()
  await using store = await storeAt(options, session)
  let messages = 0
  const line = () => safeText`${countOf(messages, 'message')}`
  return await showProgress(session, line, async () => {
    for await (const { message, receivedAt } of store.export(payload)) {
      if (session.interrupted.aborted) return EXIT.interrupted
      if (options.json) await session.out.json({ message: toBase64(message), receivedAt })
      else await session.out.write(lineOf(message))
      messages++
    }
    return EXIT.yes
  })
}

/** Returns a message on one line, without the line ends in JSON, and with CBOR in base64. */
function lineOf(message: Uint8Array): Uint8Array {
  const isText = message[0] === BRACE
  const line = Buffer.from(isText ? message : Buffer.from(toBase64(message)))
  return Buffer.concat([line.map((byte) => (byte === 0x0a || byte === 0x0d ? SPACE : byte)), NEWLINE])
}

const BRACE = 0x7b
const SPACE = 0x20
const NEWLINE = Uint8Array.of(0x0a)
