import { ResponseLimit } from '../../../src/service/publish/limit.ts'

/** As many equal answers as by default. */
export const newLimit = (max = 20, verdicts: string[] = []): ResponseLimit =>
  new ResponseLimit({ max: () => max, onLimited: (verdict) => void verdicts.push(verdict) })
