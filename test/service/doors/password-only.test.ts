import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { lacks } from '../../lacks.ts'
import { basic, sendUpdate } from './requests.ts'
import { slowHashesOf } from './slow-hashes.ts'
import { STATES } from './states.ts'
import { ACCOUNT, DDNS_KEY, type DoorsWorld, doorsWorld, PASSWORD, REQUEST_LIMIT } from './world.ts'

const RIGHT = { authorization: basic(ACCOUNT, PASSWORD) }
const WRONG = { authorization: basic(ACCOUNT, `${PASSWORD}!`) }
const NOBODY = { authorization: basic('nobody', PASSWORD) }
const BY_KEY = { authorization: basic(DDNS_KEY.username, DDNS_KEY.password) }
const WITH_FACTOR = ['factor', 'demanded', 'demanded-set', 'factor-suspended', 'factor-website'] as const

/** Small, so that few slow hashes reach it. */
const BADAUTH_LIMIT = 3

async function worldIn(state: string, limits: Parameters<typeof doorsWorld>[0] = {}): Promise<DoorsWorld> {
  const world = await doorsWorld(limits)
  onTestFinished(async () => world.close())
  for (const step of STATES[state] ?? []) await step(world)
  return world
}

/** Of the network of this host, at `/nic/update`. */
const failedLogins = async ({ store }: DoorsWorld): Promise<number> => {
  const { buckets } = await store.read((r) => r.failuresOf('update 127.0.0.1'))
  return buckets.reduce((sum, { count }) => sum + count, 0)
}

const wordsOf = async (
  world: DoorsWorld,
  ...given: readonly (typeof RIGHT)[]
): Promise<readonly string[]> => {
  const words: string[] = []
  for (const one of given) words.push((await sendUpdate(world, one)).word)
  return words
}

const times = (count: number, given: typeof RIGHT) => Array.from({ length: count }, () => given)

describe.each(WITH_FACTOR)('at /nic/update, the right password of an account in the state %s', (state) => {
  it('has the reply of a wrong one, header by header', async () => {
    const world = await worldIn(state)
    const wrong = await sendUpdate(world, WRONG)
    expect(wrong.word).toBe('badauth')
    expect(await sendUpdate(world, RIGHT)).toEqual(wrong)
    expect(await sendUpdate(world, RIGHT, '192.0.2.1', '&offline=YES')).toEqual(wrong)
  })

  it('is a failed login, as a wrong one is', async () => {
    const world = await worldIn(state)
    const counts = [await failedLogins(world)]
    for (const given of [WRONG, RIGHT, RIGHT]) {
      await sendUpdate(world, given)
      counts.push(await failedLogins(world))
    }
    expect(counts).toEqual([0, 1, 2, 3])
  })

  it('takes one slow hash, as a wrong one and an unknown account do', async () => {
    const world = await worldIn(state)
    const hashes = []
    for (const given of [WRONG, NOBODY, RIGHT])
      hashes.push(await slowHashesOf(async () => sendUpdate(world, given)))
    expect([hashes, await wordsOf(world, RIGHT)]).toEqual([[1, 1, 1], ['badauth']])
  })

  it('takes the transactions of a wrong one', async () => {
    const world = await worldIn(state)
    const taken = async (given: typeof RIGHT) => {
      const before = world.transactions.length
      const { word } = await sendUpdate(world, given)
      return [word, ...world.transactions.slice(before)]
    }
    const wrong = await taken(WRONG)
    expect(wrong).toEqual(['badauth', 'write', 'write'])
    expect(await taken(RIGHT)).toEqual(wrong)
  })

  it('locks the network out with the wrong ones, and is not looked at then', async () => {
    const world = await worldIn(state, { badauthLimit: BADAUTH_LIMIT })
    expect(await wordsOf(world, WRONG, ...times(BADAUTH_LIMIT, RIGHT))).toEqual(
      times(BADAUTH_LIMIT + 1, RIGHT).map(() => 'badauth'),
    )
    const hashes = await slowHashesOf(async () =>
      expect(await wordsOf(world, RIGHT, WRONG)).toEqual(['911', '911']),
    )
    expect(hashes).toBe(0)
    expect(world.audited.filter(({ kind }) => kind === 'lockedOut')).toHaveLength(1)
  })
})

it('a DDNS key of an account with a second factor works during the lockout by its password', async () => {
  const world = await worldIn('factor', { badauthLimit: BADAUTH_LIMIT })
  expect(await wordsOf(world, ...times(BADAUTH_LIMIT + 2, RIGHT), BY_KEY)).toEqual([
    ...times(BADAUTH_LIMIT + 1, RIGHT).map(() => 'badauth'),
    '911',
    'good',
  ])
})

it('requests by the password alone block nothing: the account updates again when its factor is gone', async () => {
  const world = await worldIn('factor')
  const many = times(REQUEST_LIMIT * 2, RIGHT)
  expect(await wordsOf(world, ...many)).toEqual(many.map(() => 'badauth'))
  await world.admin(`account forget-second-factor ${ACCOUNT}`)
  expect(await wordsOf(world, RIGHT)).toEqual(['good'])
})

it('a password alone does not count at /v1, nor one of /v1 here', async () => {
  const world = await worldIn('factor')
  await sendUpdate(world, RIGHT)
  await fetch(`${world.url}/v1/account`, { headers: WRONG })
  const ofApi = await world.store.read((r) => r.failuresOf('api 127.0.0.1'))
  expect([await failedLogins(world), ofApi.buckets.map(({ count }) => count)]).toEqual([1, [1]])
})

const FILTER = resolve(import.meta.dirname, '../../../config/fail2ban/holdfast.conf')
/** The expressions of the filter; `<HOST>` is an address there. */
const BANNED = (/^failregex = ((?:.*\n)(?:[ \t]+.*\n)*)/m.exec(readFileSync(FILTER, 'utf8'))?.[1] ?? '')
  .split('\n')
  .filter((line) => line.trim() !== '')
  .map((line) => new RegExp(line.trim().replace('<HOST>', String.raw`[0-9a-fA-F.:]+`)))
const isBanned = (line: string): boolean => BANNED.some((one) => one.test(line))

describe('the log', () => {
  /** What one login leaves in it. */
  const linesOf = async (world: DoorsWorld, given: typeof RIGHT) => {
    const [lines, events] = [world.logged.length, world.audited.length]
    await sendUpdate(world, given)
    return { lines: world.logged.slice(lines), events: world.audited.slice(events) }
  }

  it.each(WITH_FACTOR)(
    'has a line for the password alone in the state %s that matches no ban list',
    async (state) => {
      const world = await worldIn(state)
      const wrong = await linesOf(world, WRONG)
      expect([wrong.events.map(({ kind }) => kind), wrong.lines.map(isBanned)]).toEqual([
        ['loginRefused'],
        [true],
      ])
      const { lines, events } = await linesOf(world, RIGHT)
      expect(events.map(({ kind }) => kind)).not.toContain('loginRefused')
      expect(lines.map(isBanned)).toEqual([false])
      // An operator finds whose it is, and never the password.
      expect(lines[0]).toContain(ACCOUNT)
      expect(lines[0]).toContain('127.0.0.1')
      expect(lines[0]).not.toContain(PASSWORD)
    },
  )

  it.skipIf(lacks('fail2ban-regex'))('bans for a wrong password, and not for one alone', async () => {
    const world = await worldIn('factor')
    const found = async (given: typeof RIGHT): Promise<string> => {
      const { lines } = await linesOf(world, given)
      expect(lines).toHaveLength(1)
      const folder = mkdtempSync(join(tmpdir(), 'holdfast-doors-'))
      onTestFinished(() => rmSync(folder, { recursive: true }))
      const path = join(folder, 'log')
      writeFileSync(path, lines.map((line) => `2026-01-01 00:00:00 ${line}\n`).join(''))
      const regex = ['--out', '<ip>', path, FILTER]
      return spawnSync('fail2ban-regex', regex, { encoding: 'utf8' }).stdout.trim()
    }
    expect([await found(WRONG), await found(RIGHT)]).toEqual(['127.0.0.1', ''])
  })
})
