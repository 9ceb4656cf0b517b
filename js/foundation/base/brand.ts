/**
 * Returns whether a value is an instance of a class, whichever copy of this package created the value. A process can
 * load the package twice, from two folders or by two loaders. Instances have a brand: a member named by a symbol that
 * all copies share. For a subclass, which inherits this check, `instanceof` works as usual.
 *
 * @param asked - the class to the right of `instanceof`
 * @param own - the class with the brand
 */
export function isInstance(value: unknown, asked: unknown, own: unknown, brand: symbol): boolean {
  if (asked !== own) return Function.prototype[Symbol.hasInstance].call(asked, value)
  return typeof value === 'object' && value !== null && brand in value
}
