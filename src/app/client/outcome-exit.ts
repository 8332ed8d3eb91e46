import type { Outcome } from '../../client/report/outcome.ts'
import type { Exit } from '../exit-codes.ts'

export const exitOf = (outcome: Outcome): Exit => (outcome === 'addressUnknown' ? 'unreached' : outcome)
