import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { oneIn, sized } from '../large.ts'
import { drawWorld } from './draw.ts'
import { MENDED } from './mended.ts'
import { foundFor, foundInService, foundWithout } from './plant.ts'
import { PLANTED } from './planted.ts'
import { PLANTED_IN_SERVICE } from './service/planted.ts'

const ROOT = new URL('../..', import.meta.url).pathname

/** A process of its own: it takes clocks, timers and random numbers away from the whole program. */
function simulate(...flags: readonly string[]) {
  return playing('test/simulation/run.ts', ...flags)
}

function playing(script: string, ...flags: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...flags], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
}

const hashesIn = (printed: string): readonly string[] =>
  [...printed.matchAll(/^seed \d+ (?:- )?([0-9a-f]{16,})$/gm)].map(([, hash = '']) => hash)

describe('homes in virtual time', () => {
  it('faults that were mended stay mended', () => {
    const every = sized(3, 1)
    const { status, stdout, stderr } = simulate('--mended', '--every', `${every}`)
    expect([status, stderr], stdout).toEqual([0, ''])
    expect(stdout).toContain(`${Math.ceil(MENDED.length / every)} worlds, 0 with alarms`)
  })

  it('each of them has a planted fault that is the same mistake', () =>
    expect(MENDED.filter(({ mistake }) => !PLANTED.some(({ what }) => what === mistake))).toEqual([]))

  it('new worlds break no rule; the same one gives the same trace, and others give other ones', () => {
    const count = sized(2, 4)
    const { status, stdout, stderr } = simulate('--seed', '1', '--count', `${count}`, '--hash')
    expect([status, stderr], stdout).toEqual([0, ''])
    const hashes = hashesIn(stdout)
    expect([hashes.length, new Set(hashes).size]).toEqual([count, count])
    expect(hashesIn(simulate('--seed', '2', '--hash').stdout)).toEqual([hashes[1]])
  })

  it('each planted fault changes one line that is there', () => {
    const lines = ({ file, from }: { readonly file: string; readonly from: string }): number =>
      readFileSync(join(ROOT, 'src', file), 'utf8').split(from).length - 1
    expect(
      [...PLANTED, ...PLANTED_IN_SERVICE].filter((fault) => lines(fault) !== 1).map(({ what }) => what),
    ).toEqual([])
  })

  it.each(PLANTED.filter(({ isQuick }) => isQuick))('a planted fault is seen: $what', (fault) =>
    expect(foundFor(fault)).toContain(fault.rule),
  )

  it.each(
    oneIn(
      2,
      MENDED.filter(({ isQuick }) => isQuick),
    ),
  )('without the mend: $what', (mended) => expect(foundWithout(mended)).toContain(mended.rule))

  it('an event that is left out shifts no other draw', () => {
    const [whole, fewer] = [drawWorld(7, { hours: 1 }), drawWorld(7, { hours: 1, only: ['change'] })]
    expect(whole.home).toEqual(fewer.home)
    expect(whole.events.map(({ at }) => at)).toEqual(fewer.events.map(({ at }) => at))
  })
})

describe('services in virtual time', () => {
  const services = (...flags: readonly string[]) => playing('test/simulation/service/run.ts', ...flags)

  it('keep what they answered over crashes, power cuts and full disks, publish what is stored, and repeat', () => {
    const count = sized(1, 2)
    const { status, stdout, stderr } = services('--seed', '1', '--count', `${count}`, '--hash')
    expect([status, stderr], stdout).toEqual([0, ''])
    expect(stdout).toMatch(new RegExp(`^${count} services?, \\d{3,} requests, \\d+ crashes, 0 alarms`, 'm'))
    const hashes = hashesIn(stdout)
    expect([hashes.length, new Set(hashes).size]).toEqual([count, count])
    expect(hashesIn(services('--seed', `${count}`, '--hash').stdout)).toEqual(hashes.slice(-1))
  })

  it.each(PLANTED_IN_SERVICE.filter(({ isQuick }) => isQuick))('a planted fault is seen: $what', (fault) =>
    expect(foundInService(fault)).toContain(fault.rule),
  )
})
