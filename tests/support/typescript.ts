import ts from 'typescript'

/**
 * Returns TypeScript's diagnostics of modules that exist only in memory.
 *
 * @param sources - by their paths, from which it finds what they import
 */
export function diagnosticsOf(
  sources: ReadonlyMap<string, string>,
  options: ts.CompilerOptions,
): readonly ts.Diagnostic[] {
  const host = ts.createCompilerHost(options)
  const { fileExists, readFile } = host
  host.fileExists = (path) => sources.has(path) || fileExists(path)
  host.readFile = (path) => sources.get(path) ?? readFile(path)
  return ts.getPreEmitDiagnostics(ts.createProgram([...sources.keys()], options, host))
}
