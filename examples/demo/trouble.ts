/**
 * Error that can be sent between threads: the code and text of an `AlvariumError`, or `INTERNAL` for any
 * other error.
 */
export interface Trouble {
  readonly code: string
  readonly message: string
}
