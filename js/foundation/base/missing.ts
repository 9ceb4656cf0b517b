import { AlvariumError } from './errors.js'

/**
 * Creates the error `CONFIG_INVALID` for an optional package that is not installed. The text names the command that
 * installs it. Each call site needs its own `try` around the `import()`: bundlers then ignore an absent package.
 *
 * @param cause - the error that `import()` has thrown
 */
export function missing(name: string, cause: unknown): AlvariumError {
  const text = `needs the package ${name} next to alvarium-sdk (npm install ${name})`
  return new AlvariumError('CONFIG_INVALID', text, { cause })
}
