// What edge runtimes make of an import of WebAssembly: a module, compiled before anything runs.

declare module '*.wasm' {
  const module: WebAssembly.Module
  export default module
}
declare module '*.wasm?module' {
  const module: WebAssembly.Module
  export default module
}
