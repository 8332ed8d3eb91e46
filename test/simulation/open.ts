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
    what: 'where plain DNS lies and STUN is blocked, HTTPS alone is slower than the limits of other homes',
    rules: ['L1', 'L2', 'L4', 'L5', 'L6'],
    isIt: ({ world }) => world.home.port53 === 'alone',
  },
  {
    what: 'a host that lost its state starts on another line, or moves to it, and takes it for its own',
    rules: ['S1', 'L1', 'L2', 'L5', 'L6', 'T7', 'T11'],
    isIt: ({ hasLostLine }) => hasLostLine,
  },
]

export const isOpen = (rule: string, witness: Witness, now: number): boolean =>
  OPEN.some(({ rules, isIt }) => rules.includes(rule) && isIt(witness, now))
