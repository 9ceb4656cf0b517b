/**
 * The SDK as the workers see it: all of them import it from here. Without the core, which `core.ts` brings along as a
 * file of its own: inside the script (as base64) it would be a third heavier.
 */
export * from 'alvarium-sdk/slim'
