import { AlvariumError } from '../base/errors.js'

/** What `import()` of a package throws, as what to do. */
export function missing(name: string): (cause: unknown) => never {
  return (cause) => {
    const text = `store: expected the package ${name} beside alvarium-sdk (npm install ${name}), got none`
    throw new AlvariumError('CONFIG_INVALID', text, { cause })
  }
}
