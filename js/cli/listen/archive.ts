import { open } from 'node:fs/promises'
import { type FileOptions, type FileStream, file } from 'alvarium-sdk/file'
import { AlvariumError } from '../../foundation/base/errors.js'
import { OutFile } from '../annotate/out-file.js'
import { invalid } from '../fault.js'
import type { Output } from '../terminal/output.js'
import { safeText } from '../terminal/safe-text.js'

/**
 * Opens the file of `--out` for appending one line per message. Each line is on the disk when `publish`
 * resolves. Cuts off an incomplete last line.
 *
 * @param inputs - files that the command reads
 * @param err - output for the note about an incomplete line
 */
export async function openArchive(out: string, inputs: readonly string[], err: Output): Promise<NamedFile> {
  const outFile = (await OutFile.at({ out, append: true }, inputs, true)) as OutFile
  await assertLines(out)
  const archive = namedFile('--out', { path: out, maxBytes: MAX_BYTES, maxQueuedBytes: MAX_BYTES })
  await archive.connect()
  if (await outFile.begin())
    await err.note(safeText`${out}: its last line was torn, and is cut off: its message is redelivered`)
  return archive
}

export type NamedFile = Pick<FileStream, 'connect' | 'publish' | 'close'>

/** Returns a file stream with the option's name in its errors, because a command can write to two files. */
export function namedFile(option: string, options: FileOptions): NamedFile {
  const stream = file(options)
  const name = (error: unknown) => {
    if (!(error instanceof AlvariumError)) throw error
    throw new AlvariumError(error.code, error.message.replace(/^file/, option), { cause: error })
  }
  return {
    connect: (context) => stream.connect(context).catch(name),
    publish: (message, publishing) => stream.publish(message, publishing).catch(name),
    close: () => stream.close(),
  }
}

/** Unlimited file size and queue: the archive never rotates, and the broker limits unacknowledged messages. */
const MAX_BYTES = Number.MAX_SAFE_INTEGER
const BRACE = 0x7b

/**
 * Refuses a file that has contents and does not begin with `{`. Its path is probably a mistake, such as the
 * path of a public key.
 */
async function assertLines(path: string): Promise<void> {
  const existing = await open(path).catch(() => undefined)
  const read = await existing?.read(Buffer.alloc(1), 0, 1, 0).finally(() => existing.close())
  if (!read || read.bytesRead === 0 || read.buffer[0] === BRACE) return
  throw invalid(
    '--out',
    'a new file, or a file with a message on each line',
    'a file that does not begin with "{"',
  )
}
