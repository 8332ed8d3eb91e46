import { describe, expect, it } from 'vitest'
import type { LoopState } from '../../../src/client/agent/agent.ts'
import {
  accountUpdate,
  answerControl,
  type AccountUpdate,
  CONTROL_VERSION,
  type ControlContext,
  readControlResponse,
} from '../../../src/client/report/control-requests.ts'
import { NEW_STATE } from '../../../src/client/decide/state.ts'
import { byFamily, parseAddress } from '../../../src/shared/base/address.ts'
import { disk, PLAN, START, world } from '../../fakes/world.ts'

function setUp() {
  const { jobs, inbox } = world(disk(), [])
  let [hints, reads] = [0, 0]
  const mistakes: string[] = []
  const view = { sightings: undefined, nextLook: START }
  const loop: LoopState = { state: NEW_STATE, world: view, action: { kind: 'halt' }, jobs }
  const context: ControlContext = {
    inbox,
    hint: () => void hints++,
    loopState: () => loop,
    report: () => [],
    reportFromNow: () => () => [],
    troubles: () => [],
    recovered: () => undefined,
    clock: () => ({ now: START, wallAt: (at) => at }),
    reread: async () => {
      reads++
      return Promise.resolve(mistakes)
    },
  }
  return { context, inbox, loop, hints: () => hints, reads: () => reads, mistakes }
}
const UPDATE = accountUpdate(PLAN, undefined)

describe('a control request', () => {
  it.each([null, 'status', {}, { do: 'unknown' }, { do: 'resume' }, { do: 'update', updates: [null] }])(
    'that is not supported is answered with an error: %j',
    async (value) => {
      const { context, inbox } = setUp()

      expect((await answerControl(context, value)).error).toMatch(/^this daemon does not support the request/)
      expect(inbox.take()).toEqual([])
    },
  )

  it.each([{ reports: [] }, { version: 1, reports: [] }])(
    'that a daemon of another version answers is not read: %j',
    (value) =>
      expect(readControlResponse(value)).toEqual({ error: expect.stringMatching(/; restart the daemon$/) }),
  )

  it('poke starts a look', async () => {
    const { context, hints } = setUp()

    expect(await answerControl(context, { do: 'poke' })).toEqual({ version: CONTROL_VERSION })
    expect(hints()).toBe(1)
  })

  it('resume for an unknown account is refused, after the settings were read again', async () => {
    const { context, inbox, loop, reads } = setUp()
    const answer = answerControl(context, { do: 'resume', accounts: ['other@x.test'] })
    await expect.poll(() => inbox.arrival().aborted).toBe(true)
    for (const { onDone } of inbox.take()) onDone?.(loop)

    expect((await answer).error).toMatch(
      /has no account other@x\.test; add it to the configuration of the daemon/,
    )
    expect(reads()).toBe(1)
  })

  it('resume does nothing where the settings have a mistake: the old password would be tried again', async () => {
    const { context, inbox, mistakes } = setUp()
    mistakes.push('password_file is empty')
    expect((await answerControl(context, { do: 'resume', accounts: [] })).error).toBe(
      'nothing is resumed: password_file is empty',
    )
    expect(inbox.take()).toEqual([])
  })

  // biome-ignore format: a table
  it.each<[string, Partial<AccountUpdate>, RegExp]>([
    ['another account',                    { account: 'other@x.test' },                 /has no account other@x\.test/],
    ['another hostname',                   { hostnames: ['home.example.test', 'b.test'] }, /has no hostname b\.test;/],
    ['another offline setting',            { isOffline: true },                         /keeps key@service\.test online; change offline/],
    ['the address of the connection',      { reliesOnConnection: true },                /does not let the service choose the address/],
  ])('update with %s than the daemon is refused', async (_, over, error) =>
    expect(
      (await answerControl(setUp().context, { do: 'update', updates: [{ ...UPDATE, ...over }], force: false }))
        .error,
    ).toMatch(error),
  )

  it('update puts the given addresses into the loop, and resolves when the loop is done', async () => {
    const { context, inbox, loop } = setUp()
    const given = byFamily([parseAddress('192.0.2.7')].flatMap((address) => address ?? []))
    const updates = [accountUpdate(PLAN, given)]
    const answer = answerControl(context, { do: 'update', updates, force: true })
    const [request] = inbox.take()

    expect(request?.givenAddresses).toEqual([
      { account: PLAN.account, hostnames: PLAN.hostnames, addresses: { v4: '192.0.2.7' } },
    ])
    expect(request?.observations.map(({ kind }) => kind)).toEqual(['networkChanged', 'forced'])
    request?.onTaken?.()
    request?.onDone?.(loop)
    expect(await answer).toEqual({ version: CONTROL_VERSION, reports: [] })
  })
})
