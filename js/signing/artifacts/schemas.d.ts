/** Schemas in js/signing/artifacts/schemas as JSON text, by file name without `.json`; from js/build/bundles.mjs. */
export const schemas: Readonly<Record<string, string>>
