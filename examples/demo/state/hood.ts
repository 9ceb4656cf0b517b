import { signal } from '@preact/signals'

/** Whether the fold with Flow, Queue and Race is open. */
export const isHoodOpen = signal(['#hood', '#flow', '#queue', '#race'].includes(location.hash))

addEventListener('hashchange', () => {
  if (['#hood', '#flow', '#queue', '#race'].includes(location.hash)) isHoodOpen.value = true
})
