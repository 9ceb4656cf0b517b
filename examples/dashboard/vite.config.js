import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  publicDir: fileURLToPath(new URL('../demo/public', import.meta.url)),
  // Use a relative base, so that a proxy can serve the page at any path.
  base: './',
  build: {
    target: 'es2023',
    // Do not inline assets as data: URLs, which the Content-Security-Policy refuses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: { checks: { pluginTimings: false } },
  },
})
