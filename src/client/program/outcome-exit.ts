import type { Outcome } from '../report/outcome.ts'
import type { Exit } from '../../shared/program/exit-codes.ts'

export const exitOf = (outcome: Outcome): Exit => (outcome === 'addressUnknown' ? 'unreached' : outcome)
