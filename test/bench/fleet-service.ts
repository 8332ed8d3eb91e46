import { type Instant, isBefore } from '../../src/shared/base/time.ts'
import type { Observation } from '../../src/client/decide/observation.ts'
import type { UpdateRequest } from '../../src/shared/protocol/request.ts'
import { readResponse } from '../../src/shared/protocol/response.ts'
import { AT, type Outage } from './fleet-scenario.ts'

/** What the client learns from a request at a moment. */
export type Service = (account: string, sent: UpdateRequest, at: Instant) => Observation

export const isDown = (at: Instant): boolean => !isBefore(at, AT.fails) && isBefore(at, AT.back)

/** Up but for its outage. */
export const serviceWith =
  (outage: Outage): Service =>
  (account, sent, at) =>
    isDown(at) ? FAILURES[outage](account, sent, at) : upService(account, sent, at)

export const upService: Service = (account, sent) => ({
  kind: 'answered',
  account,
  sent,
  replies: sent.hostnames.map(() => ({
    word: 'good',
    addresses: sent.addresses.v4 === undefined ? [] : [sent.addresses.v4],
  })),
})

const FAILURES: { readonly [O in Outage]: Service } = {
  refuses(account, sent) {
    const replies = readResponse({ status: 503, body: '' }, sent.hostnames.length)
    if (replies.ok) throw new Error('HTTP 503 without a word is no reply')
    return { kind: 'notUnderstood', account, ...replies.error }
  },
  unreached: (account) => ({
    kind: 'unreached',
    account,
    because: 'connect: connection refused',
    isTls: false,
  }),
}
