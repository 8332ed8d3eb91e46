import { expect, it } from 'vitest'
import { disk } from '../fakes/world.ts'
import { daemon, oneShot as runOnce, type Scene, STARTED } from './runs.ts'

const [A, B, A6, B6] = ['192.0.2.1', '192.0.2.2', '2001:db8::1', '2001:db8::2'] as const
/** As the command does it: the wait before a retry is for the daemon. */
const oneShot = async (scene: Scene) =>
  runOnce({ opening: [...STARTED, { kind: 'networkChanged' }], ...scene })
const sentIn = (log: readonly string[]) => log.map((entry) => /hostname=\S*/.exec(entry)?.[0])

/** The file of a client that has A confirmed, and the answer to the request with these addresses lost. */
async function afterLost(addresses: readonly string[], confirmed: readonly string[] = [A]) {
  const file = disk()
  await oneShot({ script: [`good ${confirmed.join()}`], addressesAt: () => confirmed, file })
  await oneShot({ script: ['unreached'], addressesAt: () => addresses, file })
  return file
}

it('the earlier address is sent again after a request with another one that had no answer', async () => {
  const file = await afterLost([B])
  expect(sentIn(await daemon({ script: [`nochg ${A}`], addressesAt: () => [A], file }))).toEqual([
    `hostname=home.example.test&myip=${A}`,
  ])
  expect(await oneShot({ script: [], addressesAt: () => [A], file }), 'and then no more').toEqual([])
})

it('it is still sent when its own request had no answer either', async () => {
  const file = await afterLost([B])
  await oneShot({ script: ['unreached'], addressesAt: () => [A], file })
  expect(await oneShot({ script: [`good ${A}`], addressesAt: () => [A], file })).toHaveLength(1)
})

it('a request with the confirmed address that had no answer leaves no doubt', async () => {
  const file = disk()
  await oneShot({ script: [`good ${A}`], addressesAt: () => [A], file })
  const opening = [...STARTED, { kind: 'forced' }] as const
  await oneShot({ script: ['unreached'], addressesAt: () => [A], file, opening })
  expect(await oneShot({ script: [`nochg ${A}`], addressesAt: () => [A], file })).toHaveLength(1)
  expect(await oneShot({ script: [], addressesAt: () => [A], file })).toEqual([])
})

it('a confirmation of one family leaves the other in doubt', async () => {
  const file = await afterLost([B, B6], [A, A6])
  await oneShot({ script: [`good ${B6}`], addressesAt: () => ['unknown v4', B6], file })
  expect(sentIn(await oneShot({ script: ['good'], addressesAt: () => [A, B6], file }))).toEqual([
    `hostname=home.example.test&myip=${A},${B6}`,
  ])
})

it('an answer that says no leaves the doubt', async () => {
  const file = await afterLost([B])
  expect(await daemon({ script: ['911', `good ${A}`], addressesAt: () => [A], file, span: 2 })).toHaveLength(
    2,
  )
})

it('a name that may be offline is sent again', async () => {
  const file = disk()
  await oneShot({ script: ['good'], file })
  await oneShot({ script: ['unreached'], desiredStates: [{ isOffline: true }], file })
  expect(sentIn(await oneShot({ script: ['good'], file }))).toEqual([
    'hostname=home.example.test&myip=192.0.2.1',
  ])
  expect(await oneShot({ script: [], file })).toEqual([])
})

it('a name whose offline request had no answer is set offline again', async () => {
  const file = disk()
  await oneShot({ script: ['good'], file })
  const desiredStates = [{ isOffline: true }]
  await oneShot({ script: ['unreached'], desiredStates, file })
  expect(await oneShot({ script: ['good'], desiredStates, file })).toHaveLength(1)
  expect(await oneShot({ script: [], desiredStates, file })).toEqual([])
})

it('a name whose offline request was refused is not in doubt', async () => {
  const file = disk()
  await oneShot({ script: ['good'], file })
  await oneShot({ script: ['!donator'], desiredStates: [{ isOffline: true }], file })
  expect(await oneShot({ script: [], file })).toEqual([])
})

it('a name that may be online is set offline again', async () => {
  const file = disk()
  const desiredStates = [{ isOffline: true }]
  await oneShot({ script: ['good'], file })
  await oneShot({ script: ['good'], desiredStates, file })
  await oneShot({ script: ['unreached'], file })
  expect(sentIn(await oneShot({ script: ['good'], desiredStates, file }))).toEqual([
    'hostname=home.example.test&myip=192.0.2.1&offline=YES',
  ])
  expect(await oneShot({ script: [], desiredStates, file })).toEqual([])
})

it('an address that an answer left out is sent again after another one without an answer', async () => {
  const file = disk()
  await oneShot({ script: [`good ${A}`], addressesAt: () => [A, A6], file })
  await oneShot({ script: ['unreached'], addressesAt: () => [A, B6], file })
  expect(await oneShot({ script: [`good ${A}`], addressesAt: () => [A, A6], file })).toHaveLength(1)
  expect(await oneShot({ script: [], addressesAt: () => [A, A6], file }), 'and then no more').toEqual([])
})
