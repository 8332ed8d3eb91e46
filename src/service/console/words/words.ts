import type { EN } from './en/en.ts'

/** Every word that the console shows. Another language has the same keys. */
export type Words = typeof EN
