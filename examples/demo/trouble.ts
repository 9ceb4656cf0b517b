/** Error in a form that passes between threads: an `AlvariumError`'s code and text, or `INTERNAL` for any other. */
export interface Trouble {
  readonly code: string
  readonly message: string
}
