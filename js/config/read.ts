import * as v from 'valibot'
import { AlvariumError, describe } from '../errors.js'

/**
 * Checks options against a schema whose messages say what is expected, and fills in the defaults.
 *
 * @param root - what the options are called in messages, for example `stream`; empty for the outermost
 * @throws AlvariumError `CONFIG_INVALID` naming the first option that cannot work, what was expected and what came
 */
export function readOptions<T extends v.GenericSchema>(
  schema: T,
  options: unknown,
  root = '',
): v.InferOutput<T> {
  const result = v.safeParse(schema, options, { abortEarly: true, abortPipeEarly: true })
  if (result.success) return result.output
  const [issue] = result.issues
  const path =
    [root, ...(issue.path ?? []).map((step) => String(step.key))].filter(Boolean).join('.') || 'options'
  throw new AlvariumError(
    'CONFIG_INVALID',
    `${path}: expected ${issue.message}, got ${show(path, issue.input)}`,
  )
}

/** Credentials and keys are described, never quoted. */
function show(path: string, value: unknown): string {
  const isQuotable = ['number', 'boolean', 'string'].includes(typeof value)
  const isSecret = /(key|username|password|tls|url)/i.test(path)
  return isQuotable && !isSecret ? JSON.stringify(value) : describe(value)
}
