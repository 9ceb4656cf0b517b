import * as v from 'valibot'
import { integer, oneOf, readOptions, strict } from '../../base/options/schema.js'

/** Options of {@link file}. */
export interface FileOptions {
  /** Where messages go, a line each. Its folder has to be there. */
  readonly path: string
  /**
   * When a message counts as accepted: `always`, when it is flushed to the disk, so that it outlasts a loss of power; `never`, when
   * the system has it, so that it outlasts the process. Those that wait meanwhile are flushed together. Default `always`.
   */
  readonly sync?: 'always' | 'never' | undefined
  /** Bytes of a file, 1 KiB or more: before a message that would exceed it, another file is begun. Default 64 MiB. */
  readonly maxBytes?: number | undefined
  /**
   * How many full files are kept, beside the one that is written: when there are more, the oldest is **removed**. Default: all.
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
