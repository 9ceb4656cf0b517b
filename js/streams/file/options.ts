import * as v from 'valibot'
import { integer, oneOf, readOptions, strict } from '../../base/options/schema.js'

/** Options of {@link file}. */
export interface FileOptions {
  /** The file that messages are appended to, a line each. Its folder must exist. */
  readonly path: string
  /**
   * When a message counts as accepted. `always`: once it is flushed to the disk, so it survives a loss of power. `never`: once the
   * system has it, so it survives the process. Messages that wait meanwhile are flushed together. Default `always`.
   */
  readonly sync?: 'always' | 'never' | undefined
  /** Most bytes of a file, at least 1 KiB. A message that would exceed it starts the next file. Default 64 MiB. */
  readonly maxBytes?: number | undefined
  /**
   * How many full files are kept besides the one that is written. If there are more, the oldest is **removed**. Default: all.
   */
  readonly maxFiles?: number | undefined
  /** Most bytes of messages that wait for the disk; one more gives `QUEUE_FULL`. Default 64 MiB. */
  readonly maxQueuedBytes?: number | undefined
}

const MIB = 1024 * 1024
/** The page of limits shows it. */
export const schema = strict({
  path: v.pipe(v.string('a path'), v.nonEmpty('a path')),
  sync: v.optional(oneOf(['always', 'never']), 'always'),
  maxBytes: integer(1024, Number.MAX_SAFE_INTEGER, 64 * MIB),
  maxFiles: v.optional(integer(0, Number.MAX_SAFE_INTEGER, 0)),
  maxQueuedBytes: integer(1, Number.MAX_SAFE_INTEGER, 64 * MIB),
})

/** What the options say, with every default filled in. */
export type FileSettings = v.InferOutput<typeof schema>

/** @throws AlvariumError `CONFIG_INVALID` naming the first option that cannot work */
export function readFileOptions(options: FileOptions): FileSettings {
  return readOptions(schema, options, 'file')
}
