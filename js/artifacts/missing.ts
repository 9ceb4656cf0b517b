import { AlvariumError } from '../base/errors.js'

/**
 * For packages that are beside this one only where they are needed: `import('x').catch(missing('x'))`, which bundlers that
 * have no such package leave alone.
 *
 * @returns what throws `CONFIG_INVALID`, saying what to install
 */
export function missing(name: string): (cause: unknown) => never {
  return (cause) => {
    const text = `expected the package ${name} beside alvarium-sdk (npm install ${name}), got none`
    throw new AlvariumError('CONFIG_INVALID', text, { cause })
  }
}
