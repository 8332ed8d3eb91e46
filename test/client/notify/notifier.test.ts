import { expect, it } from 'vitest'
import { Notifier } from '../../../src/client/notify/notifier.ts'
import type { ResolvedSettings } from '../../../src/client/settings/settings.ts'
import type { AgentEvent } from '../../../src/client/agent/events.ts'
import { instant, milliseconds, minutes } from '../../../src/shared/base/time.ts'
import { parseDocument } from '../../../src/shared/settings/document.ts'
import { readClientConfig } from '../../../src/client/settings/read-client.ts'
import { type Address, parseAddress } from '../../../src/shared/base/address.ts'
import { eventually } from '../../eventually.ts'
import { steadyClock, systemEntropy } from '../../../src/shared/platform/clock/clock.ts'
import type { Files } from '../../../src/shared/ports/files.ts'

const TOML = `
server = "dyn.example"
username = "abc1234"
password = "secret"
hostnames = ["home.example.test"]
on_problem = ["/bin/tell"]
on_recover = ["/bin/tell"]
webhook = WEBHOOKS
webhook_events = ["behind-nat", "flipping", "outlier", "quarantined", "state-lost"]
`

const address = parseAddress('192.0.2.1') as Address

const FILES = {
  read: () => Promise.resolve(undefined),
  replace: () => Promise.resolve(),
} as unknown as Files

/** The notifier with what its programs and webhooks get, in order, with what they say; and the files that it saves. */
async function listening(
  receiver: 'answers' | 'refuses' | 'refuses the first' | 'is silent' = 'answers',
  webhooks: readonly string[] = ['http://127.0.0.1:1/'],
) {
  const config = readClientConfig({
    flags: {},
    environment: {},
    chosen: [],
    lookedFor: 'h.toml',
    file: {
      name: 'h.toml',
      document: parseDocument(TOML.replace('WEBHOOKS', JSON.stringify(webhooks)), 'h.toml'),
    },
  })
  if (!config.ok) throw new Error(JSON.stringify(config.error))
  const settings = {
    accounts: config.value.accounts,
    stateFolders: ['/state'],
  } as unknown as ResolvedSettings
  const log: string[] = []
  const saved: string[] = []
  const replace = (_: string, text: string): Promise<void> => Promise.resolve(void saved.push(text))
  const notifier = await Notifier.make(settings, {
    log: () => undefined,
    system: {
      clocks: () => ({
        wall: instant(Date.parse('2026-11-22T00:00:00Z')),
        boot: undefined,
        uptime: milliseconds(0),
      }),
      steady: steadyClock,
      entropy: systemEntropy,
      files: { ...FILES, replace },
      mail: () => Promise.resolve({ kind: 'sent' }),
      hook: (_, { variables }) => {
        log.push(`${variables['HOLDFAST_NEWS_EVENT']}: ${variables['HOLDFAST_NEWS_BECAUSE']}`)
        return Promise.resolve({ kind: 'ended', code: 0, stderr: '' })
      },
      http: ({ url, body = '' }, signal) => {
        const { event, because } = JSON.parse(String(body)) as { event: string; because: string }
        log.push(`webhook ${event}: ${because}`)
        const refused = { kind: 'unreached', stage: 'connect', because: 'connection refused' } as const
        const isRefused =
          receiver === 'refuses' || (receiver === 'refuses the first' && url.reveal().endsWith('/a'))
        if (isRefused) return Promise.resolve(refused)
        if (receiver === 'is silent')
          return new Promise((resolve) => signal?.addEventListener('abort', () => resolve(refused)))
        return Promise.resolve({ kind: 'answered', status: 204, headers: {}, body: '' })
      },
    },
  })
  return { notifier, log, saved }
}

async function told(...events: readonly AgentEvent[]): Promise<readonly string[]> {
  const { notifier, log } = await listening()
  for (const event of events) notifier.record(event)
  await notifier.finish(1000)
  return log
}

it('the state that cannot be saved is told, and its end once', async () => {
  const again = { kind: 'stateSavedAgain', folder: '/state' } as const
  expect(await told(again)).toEqual([])
  expect(await told({ kind: 'stateNotSaved', because: 'ENOSPC' }, again, again)).toEqual([
    'unsaved: ENOSPC',
    'recovered: the state is saved again, in /state',
  ])
})

it('the end of what was held back is no news, and neither is that', async () => {
  const no = { kind: 'stateNotSaved', because: 'ENOSPC' } as const
  const again = { kind: 'stateSavedAgain', folder: '/state' } as const
  expect(await told(no, again, no, again)).toEqual([
    'unsaved: ENOSPC',
    'recovered: the state is saved again, in /state',
  ])
})

const NAT = { kind: 'CGNAT', address: '100.64.9.9' as Address } as const

it.each<[string, AgentEvent]>([
  [
    'webhook behind-nat: CGNAT: the router has 100.64.9.9',
    { kind: 'behindAnother', nat: NAT, outside: address },
  ],
  ['webhook flipping: 192.0.2.1 appears', { kind: 'flipping', address, heldFor: minutes(5) }],
  ['webhook outlier: web reports', { kind: 'outlier', source: 'web', reported: address, agreed: address }],
  [
    'webhook quarantined: web is paused',
    { kind: 'quarantined', source: 'web', duration: minutes(9), because: 'it lies' },
  ],
])('a finding is told where a webhook asks for it: %s', async (text, event) =>
  expect(await told(event)).toEqual([expect.stringContaining(text)]),
)

it('a state that is lost is told by a program, too', async () =>
  expect(
    (await told({ kind: 'stateSetAside', as: 'old', because: 'damaged', isSalvaged: false })).toSorted(),
  ).toEqual([
    expect.stringContaining('state-lost: the state file'),
    expect.stringContaining('webhook state-lost: the state file'),
  ]))

it('what is not delivered is remembered in its order', async () => {
  const { notifier, saved } = await listening('refuses')
  notifier.record({ kind: 'flipping', address, heldFor: minutes(5) })
  notifier.record({ kind: 'behindAnother', nat: NAT, outside: address })
  await notifier.finish(1000)
  const { pending } = JSON.parse(saved.at(-1) ?? '') as { pending: { notification: { event: string } }[] }
  expect(pending.map(({ notification }) => notification.event)).toEqual(['flipping', 'behind-nat'])
})

it('a receiver that fails is not hidden by another one of its host, and a delivered test ends its failure', async () => {
  const { notifier } = await listening('refuses the first', ['http://127.0.0.1:1/a', 'http://127.0.0.1:1/b'])
  notifier.record({ kind: 'flipping', address, heldFor: minutes(5) })
  await eventually(() => notifier.failing.map(({ target }) => target)).toEqual([
    'webhook 1 at 127.0.0.1:1 (json)',
  ])
  notifier.recovered(notifier.failing.map(({ receiver }) => receiver))
  expect(notifier.failing).toEqual([])
  await notifier.finish(1000)
})

it('a receiver has not failed because the client ends', async () => {
  const { notifier, saved } = await listening('is silent')
  notifier.record({ kind: 'flipping', address, heldFor: minutes(5) })
  await notifier.finish(10)
  const { pending, failing } = JSON.parse(saved.at(-1) ?? '') as { pending: unknown[]; failing?: unknown[] }
  expect([pending.length, failing ?? [], notifier.failing]).toEqual([1, [], []])
})

it('a delivery is saved before it begins, so that it keeps its id over a kill', async () => {
  const { notifier, log, saved } = await listening('refuses')
  notifier.record({ kind: 'flipping', address, heldFor: minutes(5) })
  expect([saved, log]).toEqual([[], []])
  await eventually(() => log.length).toBe(1)
  expect(saved[0]).toMatch(/"id":"[0-9a-f]{32}"/)
  await notifier.finish(1000)
})
