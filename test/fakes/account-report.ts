import type { Outcome } from '../../src/client/report/cause.ts'
import type { AccountReport } from '../../src/client/report/report.ts'
import { parseAddress } from '../../src/shared/base/address.ts'

const v4 = parseAddress('192.0.2.1')
/** A report of one account with one confirmed hostname. */
export const accountReport = (outcome: Outcome, over: Partial<AccountReport> = {}): AccountReport => ({
  account: 'key@dyn.test',
  name: null,
  outcome,
  addresses: {},
  hostnames: [
    {
      hostname: 'home.test',
      sent: null,
      answered: null,
      meaning: null,
      confirmed: v4 === undefined ? {} : { v4 },
      isOffline: false,
      since: '2026-01-01T08:00:00.000Z',
      lastConfirmed: '2026-01-02T08:00:00.000Z',
      published: null,
      seen: [],
      remarks: [],
    },
  ],
  because: null,
  since: '2026-01-01T00:00:00.000Z',
  remedy: null,
  nextAttempt: '2026-01-01T00:30:00.000Z',
  lastLook: null,
  nextLook: null,
  ...over,
})
