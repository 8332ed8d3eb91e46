import { PLAIN_FORM } from '../../src/shared/protocol/request.ts'
import { describe, expect, it } from 'vitest'
import { formatDuration } from '../../src/shared/base/time.ts'
import { reduce } from '../../src/client/decide/step.ts'
import { accountOf, hostOf, NEW_STATE } from '../../src/client/decide/state.ts'
import { exchange } from '../../src/client/agent/send/exchange.ts'
import { byFamily, parseAddress } from '../../src/shared/base/address.ts'
import { toWire } from '../../src/shared/platform/http/service.ts'
import type { HttpRequest, OutgoingRequest } from '../../src/shared/ports/http.ts'
import { REPLIES, type ReplyWord } from '../../src/shared/protocol/reply.ts'
import { readQuery } from '../../src/shared/protocol/update-query.ts'
import { writeResponse } from '../../src/shared/protocol/response.ts'
import { disk, NO_DNS, PLAN, START, world } from '../fakes/world.ts'
import { table } from './table.ts'

const detailOf = (word: ReplyWord): string => {
  const { action } = REPLIES[word]
  if (action.kind === 'wait') return formatDuration(action.atLeast).replace('m', '')
  return action.kind === 'stop' ? action.liftedBy : '-'
}
const statusOf = (word: ReplyWord): number =>
  writeResponse([
    REPLIES[word].carries === 'addresses' ? { word: word as 'good', addresses: [] } : { word: word as '911' },
  ]).status

it('REPLIES has exactly the words of the specification, each with its required action', () => {
  const rows = (Object.keys(REPLIES) as ReplyWord[]).map((word) => {
    const { carries, about, action } = REPLIES[word]
    return [word, carries, about, action.kind, detailOf(word), String(statusOf(word))].join('\t')
  })

  expect(rows.toSorted()).toEqual(
    table('replies.tsv')
      .map((row) => row.join('\t'))
      .toSorted(),
  )
})

it('a request has exactly the parameters and headers of the specification', async () => {
  const rows = table('parameters.tsv')
  const fullRequest = {
    hostnames: ['h.test'],
    addresses: byFamily(['192.0.2.1', '2001:db8::1'].flatMap((a) => parseAddress(a) ?? [])),
    offline: 'YES' as const,
  }
  let sent: HttpRequest | undefined
  const { jobs, clock } = world(disk(), [], undefined, [{ form: { ...PLAIN_FORM, ipv6Parameter: 'myipv6' } }])
  const endpoint = jobs[0]?.endpoint
  if (endpoint === undefined) throw new Error('no endpoint')
  const http = async (request: OutgoingRequest) => {
    sent = toWire(request)
    return { kind: 'answered', status: 200, headers: {}, body: 'good' } as const
  }

  await exchange(
    endpoint,
    { request: fullRequest, endpoint: 0 },
    {
      http,
      now: () => clock.now(),
      pause: async () => undefined,
      dns: NO_DNS,
      signal: new AbortController().signal,
    },
  )

  const query = [...new URL(sent?.url ?? '').searchParams.keys()]
  const headers = Object.keys(sent?.headers ?? {})
  expect(query.toSorted()).toEqual(
    rows
      .filter(([, where]) => where === 'query')
      .map(([name]) => name)
      .toSorted(),
  )
  expect(headers).toEqual(
    expect.arrayContaining(
      rows.filter(([, where]) => where === 'header').map(([name]) => name?.toLowerCase()),
    ),
  )
})

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' }
const unescaped = (text: string): string =>
  text === '""' ? '' : text.replace(/\\([nrt])/g, (_, letter: string) => ESCAPES[letter] ?? '')

describe('the client reads the response', () => {
  it.each(table('reads.tsv'))(
    '%s',
    async (_, status = '', body = '', hosts = '', sent = '', outcome = '') => {
      const addresses = byFamily(sent.split(',').flatMap((text) => parseAddress(text) ?? []))
      const request = {
        hostnames: Array.from({ length: Number(hosts) }, (_each, n) => `h${n}.test`),
        addresses,
      }
      const endpoint = world(disk(), []).jobs[0]?.endpoint
      if (endpoint === undefined) throw new Error('no endpoint')
      const http = async () =>
        ({ kind: 'answered', status: Number(status), headers: {}, body: unescaped(body) }) as const

      const seen = await exchange(
        endpoint,
        { request, endpoint: 0 },
        {
          http,
          now: () => START,
          pause: async () => undefined,
          dns: NO_DNS,
          signal: new AbortController().signal,
        },
      )

      const read =
        seen.kind === 'answered'
          ? seen.replies.map(({ word }) => word).join(',')
          : seen.kind === 'notUnderstood' && seen.status !== undefined
            ? `HTTP ${seen.status}`
            : 'not-understood'
      expect(read).toBe(outcome)
      // Only a reply of success for a hostname confirms it.
      const state = reduce(NEW_STATE, seen, {
        desiredStates: [{ ...PLAN, hostnames: request.hostnames }],
        now: START,
        random: 0,
      })
      const confirmed = request.hostnames.map(
        (name) => hostOf(accountOf(state, PLAN.account), name).touched !== undefined,
      )
      const settled = outcome.split(',').map((word) => word === 'good' || word === 'nochg')
      expect(confirmed).toEqual(seen.kind === 'answered' ? settled : request.hostnames.map(() => false))
    },
  )
})

describe('the service reads the query', () => {
  it.each(table('peer-reads.tsv'))(
    '%s',
    (_, query = '', peer = '', v4 = '', v6 = '', offline = '', hostnames = '') => {
      const read = readQuery(query)
      const hasAddress = Object.keys(read.addresses).length > 0
      const applied = hasAddress
        ? read.addresses
        : byFamily([parseAddress(peer)].flatMap((address) => address ?? []))

      expect([applied.v4 ?? '-', applied.v6 ?? '-', read.offline, read.hostnames?.join(',') ?? '-']).toEqual([
        v4,
        v6,
        offline,
        hostnames,
      ])
    },
  )
})
