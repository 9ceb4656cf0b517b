// Edge runtimes import WebAssembly as a module that is compiled before the program runs.

declare module '*.wasm' {
  const module: WebAssembly.Module
  export default module
}
declare module '*.wasm?module' {
  const module: WebAssembly.Module
  export default module
}
