import { describe, expect, it } from 'vitest'
import { looksFor } from '../../../../src/client/program/status/record-look.ts'
import { NEW_ACCOUNT, NEW_STATE, type State } from '../../../../src/client/decide/state.ts'
import type { SystemPorts } from '../../../../src/shared/ports/system.ts'
import { played } from '../../services/protocols/play.ts'
import { KEPT, OLD, OLD6 } from '../../services/protocols/services.ts'
import { START } from '../../../fakes/world.ts'

async function looks(of: (typeof KEPT)[number], given: Parameters<typeof played>[1] = {}, state = NEW_STATE) {
  const { job, httpWith, world, sent } = await played(of, given)
  const before = structuredClone(world.records)
  const system = {
    http: httpWith((answered) => answered),
    steady: {
      now: () => START,
      sleep: async () => Promise.resolve(),
      deadline: () => new AbortController().signal,
    },
    clocks: () => ({ wall: START, boot: undefined, uptime: 0 }),
  } as unknown as SystemPorts
  const found = await looksFor(job, state, { system, signal: new AbortController().signal })
  expect(world.records).toEqual(before)
  return { found, sent, job }
}

describe.each(KEPT)('$provider', (of) => {
  it('shows the zone and the addresses of a hostname, and changes nothing', async () => {
    const { found } = await looks(of)
    const text = found.map(({ message }) => message).join(' ')
    for (const part of [of.hostname, `zone ${of.zone}`, OLD, OLD6]) expect(text).toContain(part)
    expect(found.some(({ isTrouble }) => isTrouble)).toBe(false)
  })

  it('says what would be refused', async () => {
    const { found } = await looks(of, { hostname: 'home.other.test' })
    expect(found).toMatchObject([
      { isTrouble: true, message: expect.stringContaining('home.other.test') },
      ...found.slice(1),
    ])
  })

  it('asks nothing while the account waits', async () => {
    const { job } = await looks(of)
    const status = { kind: 'waiting', until: START, attempt: 1, because: '911', detail: '' } as never
    const state: State = { accounts: { [job.desired.account]: { ...NEW_ACCOUNT, status } } }
    const { found, sent } = await looks(of, {}, state)
    expect([found.length, sent.length, found[0]?.message]).toEqual([
      1,
      0,
      'not asked, because the account is waiting',
    ])
  })
})
