import * as v from 'valibot'
import { integer, oneOf, readOptions, strict } from '../../../foundation/base/options/schema.js'

/** Path, durability and limits of a {@link file} stream. */
export interface FileOptions {
  /** Path of the file to which messages are appended, one per line. Its folder must exist. */
  readonly path: string
  /**
   * Point at which `publish` resolves. With `always`, the message is flushed to the disk and survives a power
   * loss. With `never`, the operating system has the message, which survives the end of the process. One
   * flush covers all messages that arrived during the previous flush, up to `maxBytes`. Default `always`.
   */
  readonly sync?: 'always' | 'never' | undefined
  /**
   * Maximum bytes of a file, at least 1 KiB. A message that would exceed it starts a new file. A message
   * longer than this maximum gets a file of its own. Default 64 MiB.
   */
  readonly maxBytes?: number | undefined
  /** Maximum number of full files to keep. The stream **removes** the oldest ones. Default: no limit. */
  readonly maxFiles?: number | undefined
  /**
   * Maximum bytes that wait for the disk. Calls over the limit reject with `QUEUE_FULL`, unless no other
   * message waits. Default 64 MiB.
   */
  readonly maxQueuedBytes?: number | undefined
}

const MIB = 1024 * 1024
/** Valibot schema of {@link FileOptions}, exported for the documentation page of limits. */
export const schema = strict({
  path: v.pipe(v.string('a path'), v.nonEmpty('a path')),
  sync: v.optional(oneOf(['always', 'never']), 'always'),
  maxBytes: integer(1024, Number.MAX_SAFE_INTEGER, 64 * MIB),
  maxFiles: v.optional(integer(0, Number.MAX_SAFE_INTEGER, 0)),
  maxQueuedBytes: integer(1, Number.MAX_SAFE_INTEGER, 64 * MIB),
})

export type FileSettings = v.InferOutput<typeof schema>

/** Validates options of `file`. @throws AlvariumError `CONFIG_INVALID` that names the first invalid option */
export function readFileOptions(options: FileOptions): FileSettings {
  return readOptions(schema, options, 'file')
}
