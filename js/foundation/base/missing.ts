import { AlvariumError } from './errors.js'

/**
 * Makes the error for a package that npm does not install with ours, `CONFIG_INVALID`. It names the command
 * that installs the package. Each call site needs its own `try` around the `import()`: bundlers then ignore a
 * package that is absent.
 *
 * The `import()` must be in a `try` where it is written: bundlers then leave alone a package that is not there.
 *
 * @param cause - the error that `import()` has thrown
 */
export function missing(name: string, cause: unknown): AlvariumError {
  const text = `expected the package ${name} next to alvarium-sdk (npm install ${name}), got none`
  return new AlvariumError('CONFIG_INVALID', text, { cause })
}
