import type { Witness } from './judge.ts'

export interface OpenFault {
  readonly what: string
  readonly rules: readonly string[]
  /** Whether this moment is such a case: its rules are excused then, and only then. */
  readonly isIt: (witness: Witness, now: number) => boolean
}

/** Faults that seeds have found and that are not mended yet. */
export const OPEN: readonly OpenFault[] = []

export const isOpen = (rule: string, witness: Witness, now: number): boolean =>
  OPEN.some(({ rules, isIt }) => rules.includes(rule) && isIt(witness, now))
