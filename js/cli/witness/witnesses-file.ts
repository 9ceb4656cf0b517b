import type { AskedWitnesses } from 'alvarium-sdk/witness'
import { textOf } from '../../foundation/base/errors.js'
import { invalid, pathText } from '../fault.js'
import { textIn } from '../input/text.js'

/**
 * Reads the file of `--witnesses`: JSON such as `{ "witnesses": [{ "url", "vkey" }], "quorum": 2 }`. The
 * caller passes the entries to `alvarium-sdk`, which validates them.
 */
export async function witnessesIn(
  path: string | undefined,
): Promise<Partial<Pick<AskedWitnesses, 'witnesses' | 'quorum'>>> {
  if (path === undefined) return {}
  const text = await textIn('--witnesses', path)
  try {
    const { witnesses, quorum, ...others } = JSON.parse(text)
    if (Array.isArray(witnesses) && Object.keys(others).length === 0) return { witnesses, quorum }
  } catch (error) {
    throw invalid('--witnesses', `JSON in ${pathText(path)}`, textOf(error))
  }
  throw invalid('--witnesses', '{ "witnesses": [{ "url", "vkey" }], "quorum": 2 }', 'other JSON')
}
