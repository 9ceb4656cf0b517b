/** Facts about the runtime that explain why the core does not start. */
interface Runtime {
  readonly node: string | undefined
  readonly agent: string | undefined
  readonly hasWebAssembly: boolean
}

export function describeRuntime(): Runtime {
  const { process, navigator } = globalThis as {
    process?: { versions?: { node?: string } }
    navigator?: { userAgent?: string }
  }
  return {
    node: process?.versions?.node,
    agent: navigator?.userAgent,
    hasWebAssembly: typeof WebAssembly === 'object',
  }
}

/** Returns a hint for the error of a runtime in which the core does not start. */
export function adviceFor({ node, agent, hasWebAssembly }: Runtime): string {
  if (node !== undefined) {
    if (!hasWebAssembly) return `Node ${node} has no WebAssembly: run it without --jitless`
    return `this is Node ${node}: alvarium-sdk needs 20.19 or newer, and core.wasm next to its code; a bundler needs the condition 'module'`
  }
  const newest = 'Chrome and Edge from 100, Firefox from 100 and Safari from 16.4 run it'
  if (!hasWebAssembly) return `there is no WebAssembly here: ${newest}; this is ${agent ?? 'another runtime'}`
  return `${ADVICE}; ${newest}${agent === undefined ? '' : `, and this is ${agent}`}`
}

const ADVICE =
  "the Content-Security-Policy of a page needs 'wasm-unsafe-eval'; a runtime that compiles no bytes, as those at the edge, has " +
  "to import alvarium-sdk by its condition 'workerd' or 'edge-light', or alvarium-sdk/core.wasm for useCore of alvarium-sdk/core"
