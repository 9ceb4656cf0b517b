/** Colour scheme of the page: light, dark, or the system's. */
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
    // Ignore the error: if storage is forbidden, the choice is lost with the page.
  }
})

function kept(): Theme {
  try {
    return THEMES.find((known) => known === localStorage.getItem(NAME)) ?? 'system'
  } catch {
    return 'system'
  }
}
