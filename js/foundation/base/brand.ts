/**
 * Returns whether a value is an instance of a class, whichever copy of this package created the value. A process can
 * load the package twice, from two folders or by two loaders. Instances have a brand: a member named by a symbol that
 * all copies share. For a subclass, which inherits this check, `instanceof` works as usual.
 *
 * @param targetClass - the class to the right of `instanceof`
 * @param brandedClass - the class with the brand
 */
export function isInstance(
  value: unknown,
  targetClass: unknown,
  brandedClass: unknown,
  brand: symbol,
): boolean {
  if (targetClass !== brandedClass) return Function.prototype[Symbol.hasInstance].call(targetClass, value)
  return typeof value === 'object' && value !== null && brand in value
}
