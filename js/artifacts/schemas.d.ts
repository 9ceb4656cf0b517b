/**
 * The schemas of js/artifacts/schemas by the names of their files, without `.json`, as JSON text; js/build/bundles.mjs makes
 * the module.
 */
export const schemas: Readonly<Record<string, string>>
