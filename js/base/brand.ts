/**
 * A process can hold this package twice, as ES modules and as CommonJS, and its classes with it. Their instances have a
 * brand, a member named by a symbol that both copies have; `instanceof` asks for that. Of classes that were made out of
 * ours, which inherit the question, it says what it always says.
 *
 * @param asked - the class to the right of `instanceof`
 * @param own - the class with the brand
 */
export function isInstance(value: unknown, asked: unknown, own: unknown, brand: symbol): boolean {
  if (asked !== own) return Function.prototype[Symbol.hasInstance].call(asked, value)
  return typeof value === 'object' && value !== null && brand in value
}
