import { expect, it } from 'vitest'
import { after, milliseconds, minutes, seconds } from '../../../src/shared/base/time.ts'
import { LOOK_REQUEST } from '../../../src/client/agent/agent.ts'
import { look, PENDING } from '../../../src/client/agent/look.ts'
import { forever, once, run } from '../../../src/client/agent/run.ts'
import { accountOf, type State } from '../../../src/client/decide/state.ts'
import { type Memory, StateNotSaved } from '../../../src/client/agent/memory/memory.ts'
import type { AddressProvider } from '../../../src/client/detect/sources/provider.ts'
import type { Sighting } from '../../../src/shared/base/sighting.ts'
import { address } from '../../fakes/address.ts'
import { endpointTo, serviceFor, disk, PLAN, START, world } from '../../fakes/world.ts'

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
  const confirmed: (string | undefined)[] = []
  scene.inbox.put({
    ...LOOK_REQUEST,
    onDone: ({ state }) =>
      confirmed.push(accountOf(state, PLAN.account).hosts['home.example.test']?.confirmed.v4),
  })
  scene.stopAfter(minutes(1))

  await run(scene, STARTED, forever)

  expect(confirmed).toEqual(['192.0.2.1'])
})

it('an address that arrives after its look causes another look, also where it is the one of the look before', async () => {
  const scene = world(disk(), [])
  let arrive: (seen: Sighting) => void = () => undefined
  const arrival = new Promise<Sighting>((resolve) => {
    arrive = resolve
  })
  const seen = (one: string): Sighting => ({ kind: 'seen', address: address(one), by: 'it' })
  const source: AddressProvider = {
    name: 'it',
    look: async (family) => (family === 'v6' ? seen('2001:db8::2') : arrival),
  }
  const jobs = scene.jobs.map((job) => ({ ...job, source }))
  const before = {
    nextLook: START,
    sightings: {
      [PLAN.account]: { 'home.example.test': { v4: seen('192.0.2.1'), v6: seen('2001:db8::1') } },
    },
  }
  const { schedule } = scene
  const { sightings } = await look(
    { ...scene, familyTimeout: milliseconds(50) },
    { jobs, schedule, requests: [], before },
  )
  expect(sightings?.[PLAN.account]?.['home.example.test']?.v4).toEqual(PENDING)
  expect(scene.inbox.take()).toEqual([])
  arrive(seen('192.0.2.1'))
  await new Promise((resolve) => void setImmediate(resolve))
  expect(scene.inbox.take()).toEqual([LOOK_REQUEST])
})

it.each([
  [59, 1],
  [61, 2],
])('a look that took %d s, as in a process that was stopped, is done %d times', async (took, times) => {
  const scene = world(disk(), [])
  let now = START
  const clock = { ...scene.clock, now: () => now }
  let looks = 0
  const source: AddressProvider = {
    name: 'it',
    look: async (family) => {
      if (family === 'v4' && looks++ === 0) now = after(now, seconds(took))
      return { kind: 'seen', address: address(family === 'v4' ? '192.0.2.1' : '2001:db8::1'), by: 'it' }
    },
  }
  const { schedule } = scene
  const jobs = scene.jobs.map((job) => ({ ...job, source }))
  const before = { nextLook: START, sightings: undefined }
  await look({ ...scene, clock }, { jobs, schedule, requests: [], before })
  expect(looks).toBe(times)
})

it.each([
  [59, 1, '192.0.2.1'],
  [61, 2, '192.0.2.2'],
])(
  'a request that would leave %d s after the look, as after a sleep, needs %d looks',
  async (slept, times, sent) => {
    const scene = world(disk(), [`good ${sent}`])
    let [now, looks, interruptions] = [START, 0, 0]
    const source: AddressProvider = {
      name: 'it',
      look: async (family) =>
        Promise.resolve(
          family === 'v6'
            ? { kind: 'none' }
            : { kind: 'seen', address: address(`192.0.2.${++looks}`), by: 'it' },
        ),
    }
    const save: Memory['save'] = async (state) => {
      if (looks === 1) now = after(START, seconds(slept))
      return scene.memory.save(state)
    }
    const agent = {
      ...scene,
      clock: { ...scene.clock, now: () => now },
      jobs: scene.jobs.map((job) => ({ ...job, source })),
      memory: { ...scene.memory, save },
      onInterruption: () => void interruptions++,
    }
    await run(agent, STARTED, once)
    expect([looks, interruptions]).toEqual([times, times - 1])
    expect(scene.events).toContainEqual(
      expect.objectContaining({
        kind: 'sending',
        request: expect.objectContaining({ addresses: { v4: sent } }),
      }),
    )
  },
)

it('a disk that takes a minute for each save does not keep a request back', async () => {
  const scene = world(disk(), ['good 192.0.2.1'])
  let now = START
  const memory: Memory = {
    ...scene.memory,
    save: async (state) => {
      now = after(now, seconds(61))
      return scene.memory.save(state)
    },
  }
  await run({ ...scene, memory, clock: { ...scene.clock, now: () => now } }, STARTED, once)
  expect(scene.events.filter(({ kind }) => kind === 'sending')).toHaveLength(1)
})

it('while one family waits, a request makes the answer of the other old', async () => {
  const scene = world(disk(), [])
  const looks: string[] = []
  let end: (seen: Sighting) => void = () => undefined
  const late = new Promise<Sighting>((resolve) => {
    end = resolve
  })
  const source: AddressProvider = {
    name: 'it',
    look: async (family) => {
      looks.push(family)
      if (family === 'v4') return late
      const isFirst = looks.filter((one) => one === 'v6').length === 1
      return { kind: 'seen', address: address(isFirst ? '2001:db8::1' : '2001:db8::2'), by: 'it' }
    },
  }
  const { schedule, inbox } = scene
  const jobs = scene.jobs.map((job) => ({ ...job, source }))
  const ended = look(scene, {
    jobs,
    schedule,
    requests: [],
    before: { nextLook: START, sightings: undefined },
  })
  const settle = async () => new Promise((resolve) => void setImmediate(resolve))
  await settle()
  inbox.put(LOOK_REQUEST)
  await settle()
  end({ kind: 'none' })
  const { sightings } = await ended
  expect(looks).toEqual(['v4', 'v6', 'v4', 'v6'])
  expect(sightings?.[PLAN.account]?.['home.example.test']?.v6).toMatchObject({
    address: '2001:db8::2',
  })
})

it.each([
  ['http://192.0.2.9', 1],
  ['http://dyn.example.test:8245', 1],
  ['http://127.evil.example', 1],
  ['http://localhost.evil.example', 1],
  ['http://127.0.0.2:80', 0],
  ['http://[::1]:8245', 0],
  ['http://localhost', 0],
  ['https://192.0.2.9', 0],
])('a password that is sent to %s in clear text is told %d times', async (server, times) => {
  const scene = world(disk(), ['good'])
  const endpoint = endpointTo({ ...serviceFor(), baseUrls: [server] })
  const jobs = scene.jobs.map((job) => ({ ...job, endpoint }))
  await run({ ...scene, jobs }, STARTED, once)
  expect(scene.events.filter(({ kind }) => kind === 'keyInClear')).toHaveLength(times)
})

it('requests without end do not keep a look from its end', async () => {
  const scene = world(disk(), [])
  let looks = 0
  const source: AddressProvider = {
    name: 'it',
    look: async (family) => {
      if (family === 'v6') return { kind: 'none' }
      looks++
      await new Promise((resolve) => void setImmediate(resolve))
      scene.inbox.put(LOOK_REQUEST)
      await new Promise((resolve) => void setImmediate(resolve))
      return { kind: 'none' }
    },
  }
  const { schedule } = scene
  const jobs = scene.jobs.map((job) => ({ ...job, source }))
  await look(scene, { jobs, schedule, requests: [], before: { nextLook: START, sightings: undefined } })
  expect(looks).toBe(4)
})
