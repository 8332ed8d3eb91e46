import { expect, it } from 'vitest'
import { minutes } from '../../../src/base/time.ts'
import { LOOK_REQUEST } from '../../../src/client/agent/inbox.ts'
import { forever, once, run } from '../../../src/client/agent/run.ts'
import { accountOf, type State } from '../../../src/client/decide/state.ts'
import { StateNotSaved } from '../../../src/client/memory/memory.ts'
import { disk, PLAN, START, world } from '../../fakes/world.ts'

const STARTED = [{ kind: 'started' }] as const
const STOPPED: State = {
  accounts: {
    [PLAN.account]: {
      status: { kind: 'stopped', since: START, because: 'abuse', about: '' },
      hosts: {},
    },
  },
}

it('the state is saved before each request that it permits', async () => {
  const order: string[] = []
  const scene = world(disk(), ['good'])
  const memory: typeof scene.memory = {
    ...scene.memory,
    save: async (state) => {
      order.push(accountOf(state, PLAN.account).recent === undefined ? 'save' : 'save the request')
      return scene.memory.save(state)
    },
  }
  const http: typeof scene.http = async (...request) => {
    order.push('send')
    return scene.http(...request)
  }

  await run({ ...scene, memory, http }, STARTED, once)

  expect(order[order.indexOf('send') - 1]).toBe('save the request')
})

it('a stop that another process saved is merged before anything is sent, and reported once', async () => {
  const scene = world(disk(), [])
  let other: State | undefined = STOPPED
  const memory: typeof scene.memory = {
    ...scene.memory,
    save: async (state) => {
      const found = accountOf(state, PLAN.account).recent === undefined ? undefined : other
      if (found !== undefined) other = undefined
      return found ?? scene.memory.save(state)
    },
  }

  const loop = await run({ ...scene, memory }, STARTED, forever)

  expect(accountOf(loop.state, PLAN.account).status).toMatchObject({ kind: 'stopped', because: 'abuse' })
  expect(scene.events.filter(({ kind }) => kind === 'stopped')).toHaveLength(1)
})

it('a run that must save sends nothing while the state cannot be saved', async () => {
  const scene = world(disk(), [])
  const memory = { ...scene.memory, isSaved: () => false }

  await expect(run({ ...scene, memory, mustSave: true }, STARTED, once)).rejects.toThrow(StateNotSaved)
  expect(scene.log).toEqual([])
})

it('a request that arrives during the last exchange is completed with its result', async () => {
  const scene = world(disk(), ['badauth'])
  let status: string | undefined
  const http: typeof scene.http = async (...request) => {
    scene.inbox.put({
      ...LOOK_REQUEST,
      onDone: ({ state }) => (status = accountOf(state, PLAN.account).status.kind),
    })
    return scene.http(...request)
  }

  await run({ ...scene, http }, STARTED, forever)

  expect(status).toBe('stopped')
})

it('a request is completed when nothing is left to do but wait', async () => {
  const scene = world(disk(), ['good'])
  const confirmed: boolean[] = []
  scene.inbox.put({
    ...LOOK_REQUEST,
    onDone: ({ state }) => confirmed.push('home.example.test' in accountOf(state, PLAN.account).hosts),
  })
  scene.stopAfter(minutes(1))

  await run(scene, STARTED, forever)

  expect(confirmed).toEqual([true])
})
