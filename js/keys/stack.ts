/** Calls within each other: at 50 to 200 bytes each they take several times the stack that a call of the core does. */
const DEPTH = 600
/** The other algorithms' functions call each other deeper, and Firefox' first code for them has large frames. */
const MORE_DEPTH = 1200

/**
 * To be called before a private key enters WebAssembly: there a call that ends for want of stack leaves the key where it is, and
 * at the end of the stack nothing can be called that would wipe it. (Not one call with many arguments: Firefox keeps those elsewhere.)
 *
 * @throws RangeError (in Firefox an InternalError), the engine's own, where little is left of the stack
 */
export function assertStack(): void {
  nest(DEPTH)
}

/** The same before a key of another algorithm does. */
export function assertDeepStack(): void {
  nest(MORE_DEPTH)
}

/** The sum keeps each call waiting for the next: no engine makes a loop of it. */
function nest(depth: number): number {
  return depth === 0 ? 0 : 1 + nest(depth - 1)
}
