import * as v from 'valibot'
import { integer, oneOf, readOptions, strict } from '../../../foundation/base/options/schema.js'

/** Options of {@link file}. */
export interface FileOptions {
  /** Path of the file to which messages are appended, one per line. Its folder must exist. */
  readonly path: string
  /**
   * Point at which a message counts as accepted. `always`: when it is flushed to the disk, so that it survives a power
   * loss. `never`: when the system has it, so that it survives the process. Messages that wait during a flush are
   * flushed together by the next one. Default `always`.
   */
  readonly sync?: 'always' | 'never' | undefined
  /**
   * Maximum size of a file in bytes, at least 1 KiB. A message that would exceed it starts the next file. Default 64
   * MiB.
   */
  readonly maxBytes?: number | undefined
  /**
   * Number of full files to keep besides the current one. If there are more, the oldest is **removed**. Default: all.
   */
  readonly maxFiles?: number | undefined
  /** Maximum number of bytes that wait for the disk; a call over it rejects with `QUEUE_FULL`. Default 64 MiB. */
  readonly maxQueuedBytes?: number | undefined
}

const MIB = 1024 * 1024
/** Exported for the page of limits. */
export const schema = strict({
  path: v.pipe(v.string('a path'), v.nonEmpty('a path')),
  sync: v.optional(oneOf(['always', 'never']), 'always'),
  maxBytes: integer(1024, Number.MAX_SAFE_INTEGER, 64 * MIB),
  maxFiles: v.optional(integer(0, Number.MAX_SAFE_INTEGER, 0)),
  maxQueuedBytes: integer(1, Number.MAX_SAFE_INTEGER, 64 * MIB),
})

export type FileSettings = v.InferOutput<typeof schema>

/** @throws AlvariumError `CONFIG_INVALID` naming the first option that cannot work */
export function readFileOptions(options: FileOptions): FileSettings {
  return readOptions(schema, options, 'file')
}
