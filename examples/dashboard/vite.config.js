import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  publicDir: fileURLToPath(new URL('../demo/public', import.meta.url)),
  // Relative, so that a proxy can serve it at any path.
  base: './',
  build: {
    target: 'es2023',
    // The Content-Security-Policy would refuse assets inlined as data: URLs.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: { checks: { pluginTimings: false } },
  },
})
