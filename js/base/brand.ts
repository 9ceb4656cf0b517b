/**
 * Returns whether a value is an instance of a class, whichever copy of this package made it. A process can hold the package
 * twice, as ES modules and as CommonJS. Instances have a brand: a member named by a symbol that both copies share. Subclasses
 * inherit this check, and for them `instanceof` works as usual.
 *
 * @param asked - the class to the right of `instanceof`
 * @param own - the class with the brand
 */
export function isInstance(value: unknown, asked: unknown, own: unknown, brand: symbol): boolean {
  if (asked !== own) return Function.prototype[Symbol.hasInstance].call(asked, value)
  return typeof value === 'object' && value !== null && brand in value
}
