/** Error that can be sent between threads: text and code of an `AlvariumError`, or `INTERNAL`. */
export interface Trouble {
  readonly code: string
  readonly message: string
}
