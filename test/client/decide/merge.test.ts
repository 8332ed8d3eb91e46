import { expect, it } from 'vitest'
import { after, minutes } from '../../../src/shared/base/time.ts'
import { mergeStates } from '../../../src/client/decide/merge.ts'
import {
  type AccountState,
  type HostState,
  NEW_HOST,
  NEW_STATE,
  type State,
} from '../../../src/client/decide/state.ts'
import type { Address } from '../../../src/shared/base/address.ts'
import { START } from '../../fakes/world.ts'

const stop = { since: START, because: 'nohost', about: '' } as const
const STOPPED = { status: { kind: 'stopped', ...stop, because: 'abuse' }, hosts: {} } as const
const stoppedAbout = (about: string): AccountState => ({
  status: { kind: 'stopped', ...stop, because: 'badauth', about },
  hosts: {},
})
const waitFor = (n: number): AccountState => ({
  status: {
    kind: 'waiting',
    since: START,
    until: after(START, minutes(n)),
    because: '911',
    detail: '',
    attempt: 0,
  },
  hosts: {},
})
const READY: AccountState = { status: { kind: 'ready' }, hosts: {} }
const RETRYING: AccountState = {
  status: { kind: 'retrying', since: START, until: START, detail: '', attempt: 3 },
  hosts: {},
}
const only = (a: AccountState): State => ({ accounts: { a } })
const both = (one: AccountState, other: AccountState) => mergeStates(only(one), only(other)).accounts['a']

it.each([
  ['a stop and nothing', STOPPED, READY],
  ['a stop and a wait', STOPPED, waitFor(30)],
  ['a stop that only resume ends and a stop that new credentials end', STOPPED, stoppedAbout('c1')],
  ['a longer wait and a shorter one', waitFor(60), waitFor(30)],
  ['a wait and nothing', waitFor(30), READY],
  ['a wait and a retry', waitFor(1), RETRYING],
])('of %s the first holds, in either order', (_, grave, light) => {
  expect(both(grave, light)).toEqual(grave)
  expect(both(light, grave)).toEqual(grave)
})

it('of two stops by the same word keeps the one that is about the present settings', () => {
  expect(both(stoppedAbout('c1'), stoppedAbout('c0'))).toEqual(stoppedAbout('c1'))
})

it('ends what stopped it before the user resumed it, also where a process does not know of that', () => {
  const at = after(START, minutes(1))
  const stopped: AccountState = {
    ...STOPPED,
    hosts: { x: { ...NEW_HOST, stopped: stop } },
    offlineRefused: { ...stop, because: '!donator' },
  }
  const resumed: AccountState = { ...READY, hosts: { x: NEW_HOST }, resumed: at }
  expect(both(stopped, resumed)).toEqual(resumed)
  expect(both(resumed, stopped)).toEqual(resumed)

  const again: AccountState = { ...STOPPED, status: { ...STOPPED.status, since: at } }
  expect(both(again, resumed)?.status).toEqual(again.status)
  expect(both(waitFor(30), resumed)?.status).toEqual(waitFor(30).status)
})

it('keeps a refused feature, whichever of the two knows of it', () => {
  const refused = { ...READY, offlineRefused: { ...stop, because: '!donator' } } as const

  expect(both(refused, READY)).toEqual(refused)
  expect(both(READY, refused)).toEqual(refused)
})

it('keeps the stop of a name with what was confirmed last', () => {
  const old = { ...NEW_HOST, touched: START, stopped: stop }
  const latest = { ...NEW_HOST, touched: after(START, minutes(1)), spread: 0.5 }
  const result = { ...READY, hosts: { h: { ...latest, stopped: stop } } }

  expect(both({ ...READY, hosts: { h: old } }, { ...READY, hosts: { h: latest } })).toEqual(result)
  expect(both({ ...READY, hosts: { h: latest } }, { ...READY, hosts: { h: old } })).toEqual(result)
})

it('counts each request once', () => {
  const [first, second] = [0, 1].map((n) => ({
    at: after(START, minutes(n)),
    hostname: 'h',
    addresses: `${n}`,
  }))
  if (first === undefined || second === undefined) throw new Error('two are made')

  expect(both({ ...READY, recent: [second] }, { ...READY, recent: [first, second] })?.recent).toEqual([
    first,
    second,
  ])
  expect(both(READY, { ...READY, recent: [first] })?.recent).toEqual([first])
})

it('gives back the first itself where the second adds nothing', () => {
  const state = only(STOPPED)

  expect(mergeStates(state, only(READY))).toBe(state)
  expect(mergeStates(state, NEW_STATE)).toBe(state)
  expect(mergeStates(NEW_STATE, state)).toEqual(state)
})

it('keeps the addresses of a request without an answer, whichever of the two has them', () => {
  const unanswered = { addresses: { v4: '192.0.2.1' as Address }, isOffline: false, isOnline: false }
  const hosts = (host: Partial<HostState>): AccountState => ({
    ...READY,
    hosts: { h: { ...NEW_HOST, ...host } },
  })
  const [open, later] = [hosts({ unanswered, touched: START }), hosts({ touched: after(START, minutes(1)) })]
  for (const merged of [both(open, later), both(later, open), both(open, hosts({})), both(hosts({}), open)])
    expect(merged?.hosts['h']?.unanswered).toEqual(unanswered)
})
