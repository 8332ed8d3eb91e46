import type { Witness } from './judge.ts'

export interface OpenFault {
  readonly what: string
  readonly rules: readonly string[]
  /** Whether this moment is such a case: its rules are excused then, and only then. */
  readonly isIt: (witness: Witness, now: number) => boolean
}

/** Faults that seeds have found and that are not mended yet. */
export const OPEN: readonly OpenFault[] = [
  {
    what: 'a host that lost its state starts on another line, and takes it for its own',
    rules: ['S1', 'L1', 'L2', 'L5', 'L6', 'T7', 'T11'],
    isIt: ({ hasLostLine }) => hasLostLine,
  },
]

export const isOpen = (rule: string, witness: Witness, now: number): boolean =>
  OPEN.some(({ rules, isIt }) => rules.includes(rule) && isIt(witness, now))
