import { signal } from '@preact/signals'

/** True if the section with Flow, Queue and Race is open. */
export const isHoodOpen = signal(['#hood', '#flow', '#queue', '#race'].includes(location.hash))

addEventListener('hashchange', () => {
  if (['#hood', '#flow', '#queue', '#race'].includes(location.hash)) isHoodOpen.value = true
})
