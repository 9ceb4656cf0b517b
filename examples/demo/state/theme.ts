/** The colour scheme: light, dark, or the system's. */
import { effect, signal } from '@preact/signals'

export const THEMES = ['system', 'light', 'dark'] as const
export type Theme = (typeof THEMES)[number]

const NAME = 'alvarium-demo-theme'

export const theme = signal<Theme>(kept())

effect(() => {
  document.documentElement.dataset['theme'] = theme.value
  try {
    localStorage.setItem(NAME, theme.value)
  } catch {
    // Storage may be forbidden: the choice is then lost with the page.
  }
})

function kept(): Theme {
  try {
    return THEMES.find((known) => known === localStorage.getItem(NAME)) ?? 'system'
  } catch {
    return 'system'
  }
}
