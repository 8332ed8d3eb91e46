import { instant } from '../../../src/shared/base/time.ts'
import type { Delegation } from '../../../src/service/model/delegation/delegation.ts'

/** A look at a DNS that does not answer. */
export const NOTHING_FOUND: Delegation = {
  checkedAt: instant(Date.UTC(2026, 0, 1)),
  parent: { zone: undefined, nameservers: undefined, ds: undefined },
  servers: [],
  advice: [],
}
