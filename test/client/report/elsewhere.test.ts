import { expect, it } from 'vitest'
import { isElsewhere, publicationText } from '../../../src/client/report/elsewhere.ts'
import type { HostReport } from '../../../src/client/report/report.ts'
import { byFamily, parseAddress } from '../../../src/shared/base/address.ts'

const [OLD, NEW] = ['192.0.2.1', '192.0.2.2']
const SEEN_THERE = {
  state: 'published',
  servers: [{ server: 'ns1.test', finding: 'seen', family: null, unanswered: [], addresses: [], took: null }],
  because: null,
} as const

const host = (confirmed: string, seen: string): HostReport =>
  ({
    hostname: 'home.test',
    confirmed: byFamily([parseAddress(confirmed)].flatMap((one) => one ?? [])),
    seen: [{ family: 'v4', address: seen, by: 'given', because: null }],
    isOffline: false,
    published: SEEN_THERE,
  }) as unknown as HostReport

it('what the name servers give is no success where it is the earlier address', () => {
  expect(publicationText(host(NEW, NEW))).toBe('published: seen at ns1.test')
  expect(publicationText(host(OLD, NEW))).toBe('the name servers give 192.0.2.1, the earlier address')
  expect([isElsewhere(host(NEW, NEW)), isElsewhere(host(OLD, NEW))]).toEqual([false, true])
})
