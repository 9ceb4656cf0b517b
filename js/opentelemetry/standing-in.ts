/** An object that does what another does, but for some members. */
export function standingIn<T extends object>(whom: T, own: Record<PropertyKey, unknown>): T {
  return new Proxy(whom, {
    get(target, name) {
      if (Object.hasOwn(own, name)) return own[name]
      const member: unknown = Reflect.get(target, name)
      // Of a class with private members, which know only the object itself.
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
}
