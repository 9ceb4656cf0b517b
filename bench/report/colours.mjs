// One colour per contender, for light pages and for dark ones.

/** As bright as the ground asks for, in the same order. */
export const COLOURS = {
  light: ['#0b6e4f', '#c1292e', '#235789', '#e08d00', '#7b2d8b', '#5c6672', '#00a6a6', '#b0578d'],
  dark: ['#4cc38a', '#ff7b7f', '#70a8e4', '#f5b041', '#c58af9', '#a3adb8', '#3fd0d0', '#f19ac6'],
}

/** As custom properties of CSS. @param {readonly string[]} colours */
export function palette(colours) {
  return colours.map((colour, index) => `--colour-${index}: ${colour}`).join('; ')
}

/** @param {number} index of the contender */
export const colour = (index) => `var(--colour-${index % COLOURS.light.length})`
