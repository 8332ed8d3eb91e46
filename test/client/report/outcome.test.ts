import { expect, it } from 'vitest'
import { after, before, minutes } from '../../../src/shared/base/time.ts'
import { type AccountStatus, NEW_ACCOUNT, NEW_HOST } from '../../../src/client/decide/state.ts'
import { outcomeOf } from '../../../src/client/report/cause.ts'
import { address } from '../../fakes/address.ts'
import { PLAN, START } from '../../fakes/world.ts'

const [HOME] = PLAN.hostnames as [string]
const retrying: AccountStatus = {
  kind: 'retrying',
  since: before(START, minutes(9)),
  until: START,
  detail: 'time-out',
  attempt: 3,
}

it.each([
  ['the attempt after a failure is under way', retrying, '192.0.2.2', 'unreached'],
  ['the line has its earlier address again', retrying, '192.0.2.1', 'settled'],
  ['a first attempt is under way', NEW_ACCOUNT.status, '192.0.2.2', 'settled'],
  ['the process has ended after a failure', retrying, undefined, 'unreached'],
  ['a one-shot leaves the next attempt to the next run', retrying, '192.0.2.2', 'unreached', [PLAN.account]],
  ['a one-shot failed for another account', retrying, '192.0.2.1', 'settled', ['other']],
] as const)('%s', (_, status, seen, outcome, spent: readonly string[] = []) => {
  const host = { ...NEW_HOST, confirmed: { v4: address('192.0.2.1') }, touched: START }
  const state = { accounts: { [PLAN.account]: { ...NEW_ACCOUNT, status, hosts: { [HOME]: host } } } }
  const world = {
    sightings:
      seen === undefined
        ? undefined
        : { [PLAN.account]: { [HOME]: { v4: { kind: 'seen', address: address(seen), by: 'it' } as const } } },
    nextLook: after(START, minutes(5)),
    spent,
  }
  expect(outcomeOf(PLAN, { state, world, now: START })).toBe(outcome)
})
