import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type AnyAnnotator, pki, readKey, source, tpm } from 'alvarium-sdk'
import { AlvariumError, describe, textOf } from '../../foundation/base/errors.js'
import { invalid, inWords } from '../fault.js'
import type { AnnotateOptions } from './options.js'

/** Returns the annotators of the options: of this package, or in the user's own modules. */
export async function annotatorsFor({
  annotator = ['src'],
  pkiKey,
}: AnnotateOptions): Promise<AnyAnnotator[]> {
  const verifyingKey = pkiKey === undefined ? undefined : await pkiKeyIn(pkiKey)
  return Promise.all(annotator.map((asked) => annotatorFor(asked, verifyingKey)))
}

async function annotatorFor(asked: string, verifyingKey: Uint8Array | undefined): Promise<AnyAnnotator> {
  if (asked === 'src') return source()
  if (asked === 'tpm') return tpm()
  if (asked !== 'pki') return inModule(asked)
  if (verifyingKey) return pki({ verifyingKey })
  throw invalid('--pki-key', 'the file of a public key, for the annotator pki', 'none')
}

async function pkiKeyIn(path: string): Promise<Uint8Array> {
  try {
    return await readKey(path)
  } catch (error) {
    throw new AlvariumError('KEY_INVALID', `--pki-key: ${inWords(textOf(error))}`, { cause: error })
  }
}

/** Loads the default export of a module. Calls it if it is a function. */
async function inModule(path: string): Promise<AnyAnnotator> {
  const option = `--annotator ${path}`
  const { default: exported } = await import(pathToFileURL(resolve(path)).href).catch((error) => {
    throw invalid(option, 'a module that can be loaded', textOf(error))
  })
  const annotator: unknown = typeof exported === 'function' ? await exported() : exported
  if (isAnnotator(annotator)) return annotator
  throw invalid(
    option,
    'export default { kind, isSatisfied }, or a function that returns it',
    describe(annotator),
  )
}

function isAnnotator(value: unknown): value is AnyAnnotator {
  const { kind, isSatisfied } = Object(value)
  return typeof kind === 'string' && typeof isSatisfied === 'function'
}
