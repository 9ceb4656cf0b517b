/**
 * Schemas of js/signing/artifacts/schemas as JSON text, by file name without `.json`. js/build/bundles.mjs generates
 * the module.
 */
export const schemas: Readonly<Record<string, string>>
