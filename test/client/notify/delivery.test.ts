import { expect, it } from 'vitest'
import { deliveryOf, receiversOf } from '../../../src/client/notify/delivery.ts'
import type { ClientAccount } from '../../../src/client/settings/settings.ts'
import { instant } from '../../../src/shared/base/time.ts'
import { NO_DETAILS } from '../../../src/client/notify/notification.ts'
import { Secret } from '../../../src/shared/base/secret.ts'
import type { HttpOutcome } from '../../../src/shared/ports/http.ts'

const ACCOUNT = {
  hostnames: [],
  webhookFormat: 'json',
  webhookEvents: ['stopped'],
  webhook: [
    new Secret('telegram:https://api.telegram.test/botTOKEN/sendMessage?chat_id=1'),
    new Secret('https://other.test/TOKEN'),
  ],
} as unknown as ClientAccount
const NOW = instant(Date.parse('2026-11-22T00:00:00Z'))
const notification = { ...NO_DETAILS, event: 'stopped', account: 'a@dyn.test' } as const

/** The delivery to one of the receivers, which answers so. */
function deliveryTo(to: string | undefined, outcome: HttpOutcome) {
  const urls: string[] = []
  const delivery = deliveryOf(
    { id: 'x', target: 'webhook', ...(to && { to }), notification, at: NOW },
    ACCOUNT,
    {
      http: ({ url }) => {
        urls.push(String(url))
        return Promise.resolve(outcome)
      },
      hook: () => Promise.reject(new Error('no program')),
      mail: () => Promise.resolve({ kind: 'sent' }),
      now: () => NOW,
    },
  )
  return { delivery, urls }
}

const TOO_MANY = {
  kind: 'answered',
  status: 429,
  headers: {},
  body: '{"ok":false,"error_code":429,"parameters":{"retry_after":31}}',
} as const

it('what a receiver says of a refusal is told', async () => {
  const body = '{"ok":false,"error_code":403,"description":"Forbidden: bot was blocked by the user"}'
  const { delivery } = deliveryTo(undefined, { kind: 'answered', status: 403, headers: {}, body })
  expect(await delivery?.attempt(new AbortController().signal)).toEqual({
    ok: false,
    error: {
      because: 'it answered HTTP 403: Forbidden: bot was blocked by the user',
      isTemporary: false,
    },
  })
})

it('what waits for the only webhook goes to its corrected address', () => {
  const one = { ...ACCOUNT, webhook: [new Secret('https://right.test/TOKEN')] }
  const pending = { id: 'x', target: 'webhook', to: 'of another address', notification, at: NOW } as const
  const ports = { http: () => Promise.reject(new Error()), now: () => NOW } as never
  expect(deliveryOf(pending, one, ports)?.target).toBe('webhook at right.test')
  expect(deliveryOf(pending, ACCOUNT, ports)).toBeUndefined()
})

it('the pause that Telegram asks for stands in its body', async () => {
  const { delivery } = deliveryTo(undefined, TOO_MANY)
  expect(await delivery?.attempt(new AbortController().signal)).toEqual({
    ok: false,
    error: { because: 'it answered HTTP 429', isTemporary: true, retryAfter: 31_000 },
  })
})

it('each receiver is found again, also after a restart, and no address is shown', async () => {
  const receivers = receiversOf('webhook', ACCOUNT)
  expect(new Set(receivers).size).toBe(2)
  for (const [at, host] of ['api.telegram.test', 'other.test'].entries()) {
    const { delivery, urls } = deliveryTo(receivers[at], TOO_MANY)
    await delivery?.attempt(new AbortController().signal)
    expect([delivery?.target, urls]).toEqual([
      `webhook ${at + 1} at ${host} (${at === 0 ? 'telegram' : 'json'})`,
      [`https://${host}«secret»`],
    ])
  }
  expect(deliveryTo('of a receiver that is gone', TOO_MANY).delivery).toBeUndefined()
})
