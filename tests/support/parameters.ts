import { join } from 'node:path'
import ts from 'typescript'
import { root } from '../../js/build/package/names.mjs'

/** Path to a value in the arguments of a call: the number of an argument, then names of members. */
export type Place = readonly (string | number)[]

/** A function or a method that the package exports, with the places of all values in its arguments. */
export interface Callable {
  /** Name of the entry, for example `alvarium-sdk/http`. */
  readonly entry: string
  /** Name of the interface or class; undefined for a function. */
  readonly owner?: string
  readonly name: string
  readonly places: readonly Place[]
}

const MAX_DEPTH = 4
const FOLDER = join(root, 'dist/')

/**
 * Returns the functions that entries export and the methods of the interfaces and classes in `owners`, with the
 * places of the values in their arguments.
 *
 * @param modules - the path of each entry's declarations below `dist`, by the entry's name
 */
export function callablesOf(modules: ReadonlyMap<string, string>, owners: readonly string[]): Callable[] {
  const files = new Map([...modules].map(([entry, path]) => [entry, `${FOLDER}${path}`]))
  const { NodeNext } = ts.ModuleKind
  const options = { module: NodeNext, strict: true, skipLibCheck: true, target: ts.ScriptTarget.ES2022 }
  const program = ts.createProgram([...files.values()], options)
  const checker = program.getTypeChecker()
  const seen = new Set<ts.Symbol>()
  return [...files].flatMap(([entry, path]) => {
    const source = program.getSourceFile(path)
    const module = source && checker.getSymbolAtLocation(source)
    if (!module) throw new Error(`expected the declarations of ${entry}, got none at ${path}`)
    return checker.getExportsOfModule(module).flatMap((exported) => {
      const { Alias } = ts.SymbolFlags
      const symbol = exported.flags & Alias ? checker.getAliasedSymbol(exported) : exported
      if (seen.has(symbol)) return []
      seen.add(symbol)
      return [...functionsOf(checker, symbol, entry), ...methodsOf(checker, symbol, entry, owners)]
    })
  })
}

function functionsOf(checker: ts.TypeChecker, symbol: ts.Symbol, entry: string): Callable[] {
  if (!(symbol.flags & (ts.SymbolFlags.Function | ts.SymbolFlags.Class | ts.SymbolFlags.Variable))) return []
  const type = checker.getTypeOfSymbol(symbol)
  const signatures = [...type.getCallSignatures(), ...type.getConstructSignatures()]
  return signatures.length === 0 ? [] : [{ entry, name: symbol.name, places: placesOf(checker, signatures) }]
}

function methodsOf(checker: ts.TypeChecker, symbol: ts.Symbol, entry: string, owners: readonly string[]) {
  if (!owners.includes(symbol.name)) return []
  return checker
    .getDeclaredTypeOfSymbol(symbol)
    .getProperties()
    .flatMap((member): Callable[] => {
      const signatures = checker.getTypeOfSymbol(member).getCallSignatures()
      if (signatures.length === 0 || !/^[a-z]/i.test(member.name) || member.name.startsWith('__')) return []
      return [{ entry, owner: symbol.name, name: member.name, places: placesOf(checker, signatures) }]
    })
}

function placesOf(checker: ts.TypeChecker, signatures: readonly ts.Signature[]): Place[] {
  const places = signatures.flatMap((signature) =>
    signature
      .getParameters()
      .flatMap((parameter, at) => [[at], ...insideOf(checker, checker.getTypeOfSymbol(parameter), [at])]),
  )
  const unique = new Map(places.map((place) => [place.join('.'), place]))
  return [...unique.values()]
}

/** Returns the places inside of a value of our own types: members of objects, first items of lists. */
function insideOf(checker: ts.TypeChecker, type: ts.Type, place: Place): Place[] {
  if (place.length >= MAX_DEPTH) return []
  if (type.flags & ts.TypeFlags.TypeParameter) {
    const constraint = checker.getBaseConstraintOfType(type)
    return constraint ? insideOf(checker, constraint, place) : []
  }
  if (type.isUnionOrIntersection()) return type.types.flatMap((one) => insideOf(checker, one, place))
  const element = checker.getIndexTypeOfType(type, ts.IndexKind.Number)
  const isList = checker.isArrayType(type) || checker.isTupleType(type)
  if (isList && element) return [[...place, 0], ...insideOf(checker, element, [...place, 0])]
  const isOurs = type.symbol?.declarations?.some((one) => one.getSourceFile().fileName.startsWith(FOLDER))
  if (!isOurs || type.getCallSignatures().length > 0) return []
  return type.getProperties().flatMap((member) => {
    if (member.name.startsWith('__')) return []
    const inner = [...place, member.name]
    return [inner, ...insideOf(checker, checker.getTypeOfSymbol(member), inner)]
  })
}
