// Declares the imports of WebAssembly in edge runtimes, which compile the module before the program runs.

declare module '*.wasm' {
  const module: WebAssembly.Module
  export default module
}
declare module '*.wasm?module' {
  const module: WebAssembly.Module
  export default module
}
